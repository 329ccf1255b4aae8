"""The general words of the synthetic web: background sentences, other languages, names of hosts."""

from __future__ import annotations

from typing import Final, NamedTuple


def _split(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(","))


NOUNS: Final = _split(
    """committee, council, report, meeting, morning, afternoon, village, town, city, region,
        country, border, river, lake, valley, hill, coast, island, street, square, bridge, road,
        corner, building, house, school, university, library, museum, archive, office, factory,
        shop, market, warehouse, newspaper, journal, article, chapter, letter, book, page,
        photograph, map, list, table, drawing, catalogue, exhibition, lecture, course, workshop,
        visitor, visitors, neighbour, neighbours, teacher, student, students, child, children,
        family, families, author, editor, reader, readers, expert, experts, volunteer,
        volunteers, director, mayor, minister, spokesman, manager, engineer, owner, guest,
        traveller, audience, team, group, society, association, company, foundation, institute,
        department, government, agency, programme, project, plan, budget, grant, decision,
        question, answer, problem, solution, reason, result, results, idea, proposal, example,
        method, experience, history, tradition, memory, future, season, winter, summer, weather,
        storm, rain, anniversary, century, decade, weekend, holiday, event, opening, visit,
        journey, interview, survey, study, experiment, figure, number, price, cost, quality,
        safety, damage, repair, change, progress, equipment, material, machine, instrument,
        computer, website, telephone, radio, film, story, door, window, roof, wall, garden gate,
        kitchen table, parcel, ticket, key, lamp, box, bag, coat"""
)
ADJECTIVES: Final = _split(
    """new, old, small, large, early, late, local, national, foreign, public, private, common,
        rare, simple, difficult, important, useful, famous, forgotten, popular, quiet, busy,
        careful, patient, curious, young, elderly, recent, annual, weekly, daily, final, first,
        second, third, last, next, northern, southern, eastern, western, central, wooden,
        broken, complete, detailed, short, long, unusual, typical, serious, cheerful, honest,
        independent, experienced, temporary, permanent"""
)
VERBS: Final = _split(
    """discussed, described, mentioned, visited, received, published, presented, reported,
        examined, compared, improved, replaced, repaired, explained, praised, criticised,
        supported, opposed, announced, postponed, cancelled, organised, opened, closed, found,
        lost, bought, sold, borrowed, built, designed, studied, watched, followed, remembered,
        forgot, noticed, expected, welcomed, avoided, questioned, confirmed, denied, accepted,
        rejected, celebrated, photographed, recorded, collected, counted, measured, shared,
        reviewed, translated, moved, carried, protected, shaped"""
)
OPENERS: Final = (
    "In the same year",
    "A few weeks later",
    "According to a recent survey",
    "For many years",
    "By the end of the season",
    "Not far from there",
    "In most cases",
    "As a rule",
    "On the other hand",
    "To everybody's surprise",
    "Last spring",
    "During the second visit",
    "After a long discussion",
    "Without much notice",
    "In the opinion of several readers",
    "At the beginning of the century",
)
JOINS: Final = (
    ", and",
    ", but",
    ", while",
    ", because",
    ", so that",
    ", although",
    "; meanwhile",
    ", before",
    ", after",
    " when",
    " where",
    ", which explains why",
)
ENDINGS: Final = (
    " in the spring",
    " again",
    " for the first time",
    " without delay",
    " last year",
    " at the time",
    " as planned",
    " with great care",
    " on Sunday",
    " in 1987",
    " in 2004",
    " two days later",
)
PLAIN_ANCHORS: Final = (
    "read more",
    "here",
    "this page",
    "more details",
    "continue",
    "click here",
    "see also",
    "full story",
    "link",
    "next",
    "the report",
    "a second page",
    "background",
    "further reading",
)


class Tongue(NamedTuple):
    """Another language: any of ``subjects`` may stand before any of ``predicates``."""

    code: str
    charset: str
    subjects: tuple[str, ...]
    predicates: tuple[str, ...]


SPANISH: Final = Tongue(
    "es",
    "utf-8",
    _split(
        """La biblioteca de la ciudad, El ayuntamiento, Una vecina del barrio, El periódico local,
        Nuestra familia, El museo de la región, La directora de la escuela, Un grupo de
        estudiantes, El mercado de los sábados, La nueva carretera, El señor Núñez, La
        asociación de vecinos"""
    ),
    _split(
        """abrió sus puertas a las nueve de la mañana, recibió una carta desde la capital, anunció
        que habrá cambios el próximo año, celebró una reunión en la plaza mayor, quiere mejorar
        la calidad del servicio, todavía no ha respondido a la pregunta, recuerda los tiempos de
        su niñez, publicó un informe muy detallado sobre el invierno, vendió todos los libros
        antiguos, cerró por vacaciones durante dos semanas, visitó el pueblo con muchos amigos,
        explicó por qué la lluvia llegó tan tarde"""
    ),
)
GERMAN: Final = Tongue(
    "de",
    "iso-8859-1",
    _split(
        """Die Bücherei der Stadt, Der Gemeinderat, Eine ältere Nachbarin, Die örtliche Zeitung,
        Der Verein für Heimatpflege, Das kleine Museum am Fluß, Unsere Lehrerin, Der
        Bürgermeister, Die neue Brücke, Ein Besucher aus München, Das alte Gebäude, Die Gruppe
        der Schüler"""
    ),
    _split(
        """hat am Montag wieder geöffnet, wurde im vergangenen Jahr gründlich erneuert, möchte die
        Öffnungszeiten im Sommer verlängern, berichtete ausführlich über die letzte Sitzung,
        erhielt einen Brief aus der Hauptstadt, bleibt wegen der Feiertage geschlossen, hat
        viele Freunde in der Umgebung gefunden, verkaufte die alten Bücher auf dem Markt,
        erzählte eine lange Geschichte über den Winter, konnte die Frage leider nicht
        beantworten, feiert bald das hundertjährige Bestehen, lud alle Nachbarn zum Frühstück
        ein"""
    ),
)
FRENCH: Final = Tongue(
    "fr",
    "utf-8",
    _split(
        """La bibliothèque municipale, Le conseil du village, Une habitante du quartier, Le journal
        de la région, Notre professeur, Le musée près de la rivière, La directrice de l'école,
        Un groupe d'élèves, Le marché du samedi, La nouvelle route, Le maire de la commune, Une
        vieille maison"""
    ),
    _split(
        """a rouvert ses portes au début du mois, a reçu une lettre de la capitale, souhaite
        améliorer le service pendant l'été, n'a pas encore répondu à la question, raconte une
        longue histoire sur l'hiver dernier, a vendu tous les livres anciens, restera fermé
        jusqu'à la rentrée, fêtera bientôt son centième anniversaire, a publié un rapport très
        détaillé, accueille chaque année de nombreux visiteurs, a expliqué pourquoi la pluie
        était arrivée si tard, cherche des bénévoles pour la fête du printemps"""
    ),
)
RUSSIAN: Final = Tongue(
    "ru",
    "windows-1251",
    _split(
        """Городская библиотека, Новая школа, Наша соседка, Местная газета, Старая дорога, Молодая
        учительница, Большая семья, Вся деревня, Группа студентов, Старинная усадьба, Моя
        сестра, Каждая хозяйка"""
    ),
    _split(
        """снова открылась в начале недели, получила письмо из столицы, долго ждала весны и тёплой
        погоды, ещё не ответила на этот вопрос, рассказала длинную историю о прошлой зиме,
        продала все старые книги на рынке, осталась закрытой до конца праздников, скоро будет
        отмечать столетие, нашла много друзей в соседнем городе, хотела бы изменить своё
        решение, пригласила всех жителей на встречу, была построена в конце века"""
    ),
)
TONGUES: Final = (SPANISH, GERMAN, FRENCH, RUSSIAN)

HOST_FIRST: Final = _split(
    """amber, birch, copper, delta, ember, fern, granite, harbour, indigo, juniper, kestrel,
        linden, meadow, north, orchard, pebble, quill, river, silver, thistle, umber, velvet,
        willow, yarrow, alder, beacon, cedar, drift, elm, falcon, grove, heron"""
)
HOST_SECOND: Final = _split(
    """press, courier, gazette, works, guild, circle, institute, notes, review, lane, field,
        house, forum, archive, journal, workshop, society, letters, network, almanac, college,
        bureau, mill, post, digest, stream, ledger, yard, hall, desk, corner, bridge"""
)
HOST_SUBDOMAINS: Final = ("blog", "news", "library", "wiki", "people", "shop", "archive", "lab")
HOST_SUFFIXES: Final = ("example", "test", "org.example", "co.example", "edu.test", "net.example")
SYLLABLES: Final = _split(
    """ba, den, ko, lar, mi, nor, os, pel, ri, sun, ta, vel, wi, zan, hol, gre, fin, du, cas, bren,
    al, em, ith, or"""
)
PATH_WORDS: Final = _split(
    """guide, notes, story, report, history, introduction, overview, questions, diary,
        interview, memories, review, basics, practice, portrait, summary, letters, essay,
        record, visit, index, collection, manual, glossary, chronicle, sources, methods,
        results, letter, sketch, journal, travels"""
)
SECTIONS: Final = (
    "articles",
    "features",
    "topics",
    "archive",
    "library",
    "notes",
    "guides",
    "people",
)
