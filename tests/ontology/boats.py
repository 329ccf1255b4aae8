"""One small ontology of our own in every form that can be read.

    sailing boat ── is a kind of ── boat ── moored at ── harbour
    Seagull ── is an instance of ── sailing boat

A boat is "Boot" in German, and "watercraft" as well.
"""

from __future__ import annotations

XTM_1 = """<?xml version="1.0"?>
<topicMap xmlns="http://www.topicmaps.org/xtm/1.0/" xmlns:xlink="http://www.w3.org/1999/xlink">
<mergeMap xlink:href="http://127.0.0.1:9/other.xtm"/>
<topic id="boat">
  <baseName><baseNameString>boat</baseNameString>
    <variant><parameters><topicRef xlink:href="core.xtm#sort"/></parameters>
      <variantName><resourceData>zzz</resourceData></variantName></variant>
    <variant><parameters><topicRef xlink:href="#wide"/></parameters>
      <variantName><resourceData> water
        craft</resourceData></variantName></variant>
  </baseName>
  <baseName><scope><topicRef xlink:href="#german"/></scope>
    <baseNameString>Boot</baseNameString></baseName>
  <occurrence><resourceData>a note</resourceData></occurrence>
</topic>
<topic id="sailing">
  <subjectIdentity>
    <subjectIndicatorRef xlink:href="http://boats.example/sailing"/></subjectIdentity>
  <baseName><baseNameString>sailing boat</baseNameString></baseName>
</topic>
<topic id="seagull">
  <instanceOf><subjectIndicatorRef xlink:href="http://boats.example/sailing"/></instanceOf>
  <baseName><baseNameString>Seagull</baseNameString></baseName>
</topic>
<topic id="harbour"><baseName><baseNameString>harbour</baseNameString></baseName></topic>
<topic id="moored"><baseName><baseNameString>moored at</baseNameString></baseName></topic>
<topic id="german"><subjectIdentity><subjectIndicatorRef
  xlink:href="http://www.topicmaps.org/xtm/1.0/language.xtm#de"/></subjectIdentity></topic>
<topic id="wide"/>
<association>
  <instanceOf><topicRef
    xlink:href="http://www.topicmaps.org/xtm/1.0/core.xtm#superclass-subclass"/></instanceOf>
  <member><roleSpec><topicRef
    xlink:href="http://www.topicmaps.org/xtm/1.0/core.xtm#superclass"/></roleSpec>
    <topicRef xlink:href="#boat"/></member>
  <member><roleSpec><topicRef
    xlink:href="http://www.topicmaps.org/xtm/1.0/core.xtm#subclass"/></roleSpec>
    <topicRef xlink:href="#sailing"/></member>
</association>
<association>
  <instanceOf><topicRef xlink:href="#moored"/></instanceOf>
  <member><topicRef xlink:href="#boat"/></member>
  <member><topicRef xlink:href="#harbour"/></member>
</association>
</topicMap>"""

XTM_2 = """<topicMap xmlns="http://www.topicmaps.org/xtm/" version="2.1">
<mergeMap href="http://127.0.0.1:9/other.xtm"/>
<topic id="boat">
  <name><value>boat</value>
    <variant><scope><topicRef href="#wide"/></scope>
      <resourceData>water craft</resourceData></variant></name>
  <name><scope><topicRef href="#german"/></scope><value>Boot</value></name>
</topic>
<topic id="sailing">
  <subjectIdentifier href="http://boats.example/sailing"/>
  <name><value>sailing boat</value></name>
</topic>
<topic id="seagull">
  <instanceOf><subjectIdentifierRef href="http://boats.example/sailing"/></instanceOf>
  <name><value>Seagull</value></name>
</topic>
<topic id="harbour"><itemIdentity href="#port"/><name><value>harbour</value></name></topic>
<topic id="moored"><name><value>moored at</value></name></topic>
<topic id="german"><subjectIdentifier href="http://psi.oasis-open.org/iso/639/#de"/></topic>
<association>
  <type><subjectIdentifierRef
    href="http://psi.topicmaps.org/iso13250/model/supertype-subtype"/></type>
  <role><type><topicRef href="http://psi.topicmaps.org/iso13250/model/subtype"/></type>
    <topicRef href="#sailing"/></role>
  <role><type><topicRef href="http://psi.topicmaps.org/iso13250/model/supertype"/></type>
    <topicRef href="#boat"/></role>
</association>
<association>
  <type><topicRef href="#moored"/></type>
  <role><type><topicRef href="#guest"/></type><topicRef href="#boat"/></role>
  <role><type><topicRef href="#host"/></type><topicRef href="#port"/></role>
</association>
</topicMap>"""

LTM = """@"utf-8"
#VERSION "1.3"
#TOPICMAP ~ all
#MERGEMAP "http://127.0.0.1:9/other.xtm" "xtm"
#PREFIX b @"http://boats.example/"
/* A note
   on two lines. */
[boat = "boat"; "zzz" ~ reified ("water craft" / wide)
      = "Boot" / german]
[sailing = "sailing boat" @"http://boats.example/sailing"]
[seagull : b:sailing = "Seagull"]
{boat, note, [[Some "text" with ] and more]]} / wide
[harbour = "harbour"]
[moored = "moored at"]
[german @"http://psi.oasis-open.org/iso/639/#de"]
[kind-of : hierarchy @"http://boats.example/kind"]
[hierarchy @"http://www.techquila.com/psi/hierarchy/#hierarchical-relation-type"]
[upper : above] [above @"http://www.techquila.com/psi/hierarchy/#superordinate-role-type"]
kind-of(boat : upper, sailing : lower) / wide
moored(boat:guest, [harbour] : host) ~ mooring
"""

TURTLE = """
@prefix b: <http://boats.example/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://boats.example/all> a owl:Ontology ; owl:imports <http://127.0.0.1:9/other.xtm> ;
    rdfs:label "all of it" .
b:scheme a skos:ConceptScheme ; skos:prefLabel "scheme" .
b:boat a skos:Concept ; skos:prefLabel "boat", "Boot"@DE ; skos:altLabel "water craft" ;
    skos:inScheme b:scheme ; b:moored b:harbour ; skos:note "a note" .
b:sailing skos:prefLabel "sailing boat" ; skos:broader b:boat .
b:seagull a b:sailing ; skos:prefLabel "Seagull" .
b:harbour skos:prefLabel "harbour" .
b:moored a owl:ObjectProperty ; rdfs:label "moored at" .
b:nothing a skos:Concept .
"""

OWL = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY owl "http://www.w3.org/2002/07/owl#">
  <!ENTITY b "http://boats.example/">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:b="http://boats.example/"
  xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#"
  xmlns:skos="http://www.w3.org/2004/02/skos/core#">
<owl:Ontology rdf:about="http://boats.example/all">
  <owl:imports rdf:resource="http://127.0.0.1:9/other.xtm"/></owl:Ontology>
<owl:Class rdf:about="&b;boat"><rdfs:label>boat</rdfs:label>
  <rdfs:label xml:lang="de">Boot</rdfs:label><skos:altLabel>water craft</skos:altLabel>
  <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="&b;moored"/>
    <owl:someValuesFrom rdf:resource="&b;harbour"/></owl:Restriction></rdfs:subClassOf>
</owl:Class>
<owl:Class rdf:about="&b;sailing"><rdfs:label>sailing boat</rdfs:label>
  <rdfs:subClassOf rdf:resource="&b;boat"/></owl:Class>
<b:sailing rdf:about="&b;seagull"><rdfs:label>Seagull</rdfs:label></b:sailing>
<owl:Class rdf:about="&b;harbour"><rdfs:label>harbour</rdfs:label></owl:Class>
<owl:ObjectProperty rdf:about="&b;moored"><rdfs:label>moored at</rdfs:label></owl:ObjectProperty>
</rdf:RDF>"""

FORMS = {
    "one.xtm": XTM_1,
    "two.xtm": XTM_2,
    "boats.ltm": LTM,
    "boats.ttl": TURTLE,
    "boats.owl": OWL,
}
