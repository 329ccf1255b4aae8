"""The words of the synthetic web: twelve topics, and the general words that surround them.

Verbs stand in the past tense, so that one sentence pattern fits singular and plural alike.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Vocabulary(NamedTuple):
    """What pages about one topic say. ``phrases`` name the topic itself and come up most."""

    label: str
    phrases: tuple[str, ...]
    nouns: tuple[str, ...]
    adjectives: tuple[str, ...]
    verbs: tuple[str, ...]

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.phrases + self.nouns + self.adjectives + self.verbs)


def _split(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split(","))


def _vocabulary(label: str, phrases: str, nouns: str, adjectives: str, verbs: str) -> Vocabulary:
    return Vocabulary(label, _split(phrases), _split(nouns), _split(adjectives), _split(verbs))


_DENGUE: Final = _vocabulary(
    "dengue fever",
    """dengue fever, dengue, dengue virus, dengue outbreak, severe dengue, dengue infection, dengue
    haemorrhagic fever, dengue vaccine, dengue patients, dengue transmission""",
    """mosquito, mosquitoes, aedes aegypti, aedes albopictus, vector, vector control, virus,
    serotype, serotypes, outbreak, epidemic, platelet count, haemorrhage, plasma leakage, shock
    syndrome, rash, joint pain, headache, nausea, bleeding gums, vaccine trial, antibody,
    antibodies, antigen test, incubation period, larvae, larval survey, breeding sites, standing
    water, water tanks, fogging, insecticide, repellent, bed nets, surveillance, case fatality,
    incidence, health ministry, clinic, tropical medicine, rainy season, monsoon, flavivirus,
    zika, chikungunya, yellow fever, malaria, fever, paracetamol, rehydration, intravenous
    fluids, hospital ward, blood sample, laboratory test, genome sequence, wolbachia, sterile
    males, urban slum, travel advice, endemic region, immunity, reinfection, epidemiologist,
    nurses, physicians, public health officers, symptoms, warning signs, liver enzymes,
    dehydration, transfusion, pathogen, host immune response, notification system, climate
    suitability, tropics""",
    """febrile, endemic, viral, tropical, haemorrhagic, infectious, acute, asymptomatic, feverish,
    mosquito-borne, severe, clinical, immune, contagious, epidemic-prone, larvicidal,
    serological, convalescent, subtropical, suspected, confirmed, hospitalised""",
    """infected, transmitted, vaccinated, diagnosed, bit, fumigated, hospitalised, isolated, bred
    in, drained, sequenced, rehydrated, notified, immunised, treated, spread through, eradicated,
    tested, monitored, afflicted, quarantined, screened""",
)

_RAILWAYS: Final = _vocabulary(
    "railways",
    """railways, railway line, railway station, railway network, steam railway, railway history,
    mountain railway, railway company""",
    """locomotive, steam locomotive, diesel engine, carriage, carriages, freight train, goods wagon,
    platform, signal box, semaphore signal, points, sleepers, ballast, gauge, narrow gauge,
    standard gauge, branch line, main line, timetable, conductor, engine driver, fireman, boiler,
    firebox, tender, bogie, coupling, buffer stop, turntable, roundhouse, marshalling yard,
    viaduct, tunnel portal, cutting, embankment, level crossing, overhead wire, pantograph, third
    rail, electrification, tilting train, sleeper train, dining car, commuter service, express
    service, junction, terminus, ticket office, waiting room, stationmaster, track gang, tamping
    machine, rail joint, axle load, brake van, vacuum brake, air brake, rolling stock, multiple
    unit, railcar, tramway, funicular, rack rail, gradient, interlocking, block section,
    derailment, freight yard, rail enthusiast, heritage line, preservation society, whistle,
    smokebox, pistons, timber trestle, passengers""",
    """electrified, double-tracked, narrow-gauge, standard-gauge, coal-fired, punctual, delayed,
    disused, reopened, preserved, long-distance, suburban, articulated, streamlined, riveted,
    uncoupled, single-track, nationalised, northbound, southbound, rail-borne, wrought-iron""",
    """hauled, shunted, derailed, electrified, coupled, uncoupled, signalled, departed from, arrived
    at, steamed past, overhauled, braked before, accelerated past, tunnelled under, connected,
    relaid, scrapped, inaugurated, boarded, ticketed, timetabled, rerouted""",
)

_COOKING: Final = _vocabulary(
    "cooking",
    """cooking, home cooking, cooking time, cooking method, slow cooking, cooking class,
    vegetable cooking, cooking pot""",
    """recipe, recipes, saucepan, frying pan, oven, whisk, spatula, chopping board, paring knife,
    garlic, onion, shallots, butter, olive oil, flour, yeast, dough, sourdough, crust, gravy,
    broth, stock, stew, casserole, soup, sauce, vinaigrette, mayonnaise, mustard, vinegar,
    pepper, cinnamon, nutmeg, cumin, coriander, basil, thyme, rosemary, parsley, bay leaf, lemon
    zest, cream, custard, meringue, pastry, pie dish, batter, pancakes, dumplings, noodles,
    risotto, lentils, chickpeas, aubergine, courgette, mushrooms, roast chicken, lamb shank, pork
    belly, salmon fillet, marinade, seasoning, garnish, leftovers, pantry, kitchen, chef, sous
    chef, tasting spoon, measuring cup, mixing bowl, baking tray, caramel, chocolate ganache,
    icing, jam""",
    """savoury, sweet, crispy, tender, simmering, caramelised, roasted, braised, grilled, spicy,
    buttery, creamy, crunchy, seasoned, al dente, homemade, tangy, smoky, poached, stuffed,
    whisked, chopped""",
    """simmered, boiled, fried, roasted, baked, kneaded, whisked, chopped, diced, seasoned,
    marinated, garnished, tasted, stirred, drained off, sifted, grated, peeled, reduced,
    deglazed, served, folded in""",
)

_ASTRONOMY: Final = _vocabulary(
    "astronomy",
    """astronomy, amateur astronomy, radio astronomy, observational astronomy, astronomy club,
    astronomy lecture, infrared astronomy, astronomy camp""",
    """telescope, refractor, reflector, eyepiece, observatory, dome, galaxy, spiral galaxy, nebula,
    planetary nebula, supernova, neutron star, pulsar, quasar, black hole, event horizon,
    accretion disc, white dwarf, red giant, main sequence, binary star, variable star, star
    cluster, globular cluster, constellation, orion, milky way, andromeda, redshift, spectrum,
    spectrograph, parallax, light curve, magnitude, exoplanet, transit, gas giant, rings of
    saturn, jupiter, mars, venus, mercury, neptune, asteroid, comet, comet tail, meteor shower,
    meteorite, solar eclipse, lunar eclipse, sunspot, corona, solar wind, aurora, moon crater,
    orbit, ephemeris, right ascension, declination, zenith, light pollution, dark sky, star
    chart, planisphere, astrophotography, interferometer, radio dish, space probe, cosmic dust,
    dark matter, dark energy, hubble constant, big bang, equinox, solstice, astronomers""",
    """celestial, stellar, galactic, orbital, planetary, lunar, solar, interstellar, luminous,
    distant, ecliptic, cosmic, spectral, gravitational, retrograde, circumpolar, ultraviolet,
    nocturnal, telescopic, elliptical, starlit, infrared""",
    """orbited, eclipsed, observed, transited, radiated, collapsed into, accreted, catalogued,
    resolved, photographed, revolved around, emitted, absorbed, outshone, rotated around,
    occulted, tracked, collided with, illuminated, charted, calibrated, sighted""",
)

_MUSIC: Final = _vocabulary(
    "classical music",
    """classical music, chamber music, music theory, music festival, music school, sheet music,
    orchestral music, piano music""",
    """symphony, concerto, sonata, string quartet, overture, cantata, oratorio, opera, aria,
    libretto, fugue, prelude, nocturne, scherzo, minuet, rondo, violin, viola, cello, double
    bass, flute, oboe, clarinet, bassoon, french horn, trumpet, trombone, timpani, harp,
    harpsichord, grand piano, organ pipes, orchestra, conductor's baton, choir, soprano, alto,
    tenor, baritone, soloist, concertmaster, rehearsal, concert hall, recital, encore, applause,
    score, manuscript, melody, harmony, counterpoint, rhythm, tempo, cadence, chord, chords, key
    signature, time signature, crescendo, pizzicato, vibrato, tremolo, legato, staccato,
    arpeggio, dissonance, modulation, motif, leitmotif, baroque suite, romantic era, composer,
    composers, virtuoso, metronome, tuning fork, string section""",
    """melodic, harmonic, polyphonic, baroque, romantic, symphonic, operatic, lyrical, virtuosic,
    dissonant, rhythmic, sonorous, choral, muted, allegro, atonal, resonant, chromatic,
    contrapuntal, unaccompanied, transposed, orchestrated""",
    """composed, performed, conducted, rehearsed, orchestrated, improvised on, sang, bowed, plucked,
    tuned, transcribed, accompanied, harmonised, premiered, recorded, sight-read, interpreted,
    modulated into, resounded through, dedicated, scored, applauded""",
)

_CHESS: Final = _vocabulary(
    "chess",
    """chess, chess opening, chess club, chess tournament, chess problem, chess player,
    correspondence chess, chess engine""",
    """pawn, pawns, knight, bishop, rook, queen, king, chessboard, chess clock, checkmate,
    stalemate, castling, en passant, promotion, sicilian defence, french defence, ruy lopez,
    queen's gambit, king's indian, caro-kann, nimzo-indian, english opening, fianchetto, gambit,
    sacrifice, exchange, fork, pin, skewer, discovered check, zugzwang, zwischenzug, tempo gain,
    initiative, pawn structure, isolated pawn, passed pawn, doubled pawns, outpost, open file,
    seventh rank, back rank, endgame, rook ending, opposition, fortress, middlegame, combination,
    tactics, grandmaster, international master, world champion, candidates match, rating list,
    elo rating, swiss pairing, round robin, arbiter, time trouble, blitz game, rapid game,
    simultaneous display, blindfold game, scoresheet, notation, annotation, adjournment, draw
    offer, resignation, tablebase, opening book, kingside attack, minority attack, blunder,
    brilliancy prize, study composer""",
    """positional, tactical, passed, doubled, backward, unsound, drawn, lost, winning, prophylactic,
    hypermodern, aggressive, cramped, castled, pinned, undefended, en prise, decisive,
    endgame-like, sharp, equalised, mated""",
    """castled, captured, checkmated, sacrificed, blundered, resigned against, pinned, forked,
    promoted, blockaded, defended, attacked, exchanged, outplayed, equalised against, adjourned,
    calculated, developed, fianchettoed, drew with, annotated, undermined""",
)

_FOOTBALL: Final = _vocabulary(
    "football",
    """football, football club, football match, football league, football pitch, women's football,
    football supporters, youth football""",
    """goalkeeper, striker, midfielder, full back, centre half, winger, captain's armband, referee,
    linesman, offside trap, penalty, penalty shootout, free kick, corner kick, throw-in, yellow
    card, red card, hat-trick, own goal, crossbar, goalpost, penalty area, halfway line,
    kick-off, extra time, injury time, half-time, clean sheet, header, volley, dribble, through
    ball, counter-attack, pressing, back four, formation, dugout, substitutes' bench,
    substitution, transfer window, transfer fee, loan deal, scout, academy, training ground,
    stadium, terraces, away end, season ticket, derby, cup final, semi-final, group stage, league
    table, relegation, promotion place, goal difference, champions league, world cup, national
    team, qualifier, friendly match, manager, head coach, physio, hamstring injury, shin pads,
    boots, jersey, scarf, chant, fanzine, broadcaster, replay, shot-stopper, playmaker""",
    """unbeaten, relegated, offside, goalless, defensive, attacking, left-footed, right-footed,
    top-flight, second-division, injured, suspended, on-loan, dribbling, set-piece, away,
    equalising, last-minute, promoted, fouled, pressing, capped""",
    """scored, dribbled past, tackled, headed, saved, fouled, substituted, booked, equalised,
    volleyed, crossed, kicked, transferred, relegated, promoted, coached, celebrated, marked,
    pressed, lost to, beat, drew against""",
)

_GARDENING: Final = _vocabulary(
    "gardening",
    """gardening, vegetable gardening, organic gardening, gardening tools, container gardening,
    gardening calendar, gardening advice, rose gardening""",
    """garden, flower bed, border, lawn, hedge, greenhouse, cold frame, potting shed, compost,
    compost heap, mulch, topsoil, clay soil, loam, leaf mould, manure, fertiliser, seedlings,
    seed tray, cuttings, bulbs, tubers, perennials, annuals, biennials, shrubs, climber, roses,
    tulips, daffodils, dahlias, lavender, foxgloves, hydrangea, rhododendron, clematis, wisteria,
    ferns, hostas, tomatoes, runner beans, peas, carrots, potatoes, lettuce, spinach, rhubarb,
    strawberries, raspberries, apple tree, espalier, pruning shears, secateurs, trowel, spade,
    rake, hoe, wheelbarrow, watering can, hosepipe, rain barrel, trellis, raised bed, allotment,
    crop rotation, slugs, snails, aphids, ladybirds, bumblebees, pollinators, weeds, bindweed,
    frost, hardiness zone, head gardener""",
    """leafy, blooming, hardy, half-hardy, evergreen, deciduous, fragrant, shady, sunny,
    well-drained, fertile, acidic, overgrown, potted, pruned, variegated, herbaceous, weedy,
    self-seeded, ripe, thorny, rooted""",
    """planted, sowed, pruned, watered, weeded, mulched, fertilised, harvested, transplanted,
    grafted, trimmed, dug over, raked, germinated in, flowered beside, pollinated, composted,
    staked, thinned, hoed, repotted, deadheaded""",
)

_SAILING: Final = _vocabulary(
    "sailing",
    """sailing, sailing boat, sailing club, dinghy sailing, offshore sailing, sailing regatta,
    sailing school, sailing yacht""",
    """mainsail, jib, genoa, spinnaker, gennaker, mast, boom, kicking strap, halyard, sheet, cleat,
    winch, shroud, forestay, backstay, rudder, tiller, keel, centreboard, daggerboard, hull, bow,
    stern, port side, starboard, cockpit, cabin, bilge, galley, anchor, anchor chain, mooring,
    buoy, marina, harbour, jetty, pontoon, lighthouse, chart table, compass, sextant, tide
    tables, tidal stream, ebb tide, headwind, tailwind, trade winds, gale warning, squall, swell,
    whitecaps, catamaran, trimaran, sloop, ketch, schooner, cutter rig, skipper, helmsman, crew,
    foredeck, lifejacket, lifeline, man overboard, capsize, reef point, storm jib, sea anchor,
    passage plan, landfall, race committee, starting line, windward mark, leeward mark,
    spreaders, knot log""",
    """windward, leeward, becalmed, seaworthy, heeled, close-hauled, downwind, upwind, tidal,
    nautical, rigged, reefed, moored, anchored, salty, offshore, coastal, gusty, watertight,
    single-handed, ocean-going, aground""",
    """tacked, gybed, heeled, capsized, reefed, hoisted, trimmed, moored, anchored off, steered,
    navigated, ran aground on, hauled in, rounded, drifted past, luffed, furled, docked at,
    crewed, overtook, bailed out, crossed""",
)

_CHEMISTRY: Final = _vocabulary(
    "chemistry",
    """chemistry, organic chemistry, inorganic chemistry, physical chemistry, chemistry laboratory,
    chemistry teacher, analytical chemistry, polymer chemistry""",
    """atom, molecule, molecules, ion, cation, anion, electron, proton, isotope, periodic table,
    noble gas, halogen, alkali metal, transition metal, covalent bond, ionic bond, hydrogen bond,
    orbital, valence, oxidation state, reduction, catalyst, enzyme, reagent, solvent, solute,
    solution, precipitate, titration, burette, pipette, beaker, erlenmeyer flask, bunsen burner,
    fume hood, distillation, reflux, chromatography, mass spectrometer, nuclear magnetic
    resonance, crystal lattice, benzene ring, alkane, alkene, alcohol, aldehyde, ketone, ester,
    carboxylic acid, amine, amino acid, polymer, monomer, nitrogen, oxygen, carbon dioxide,
    sulphuric acid, sodium hydroxide, hydrochloric acid, ammonia, chloride, nitrate, sulphate,
    buffer, equilibrium constant, enthalpy, entropy, activation energy, reaction rate,
    stoichiometry, molar mass, electrolysis, electrode, litmus paper, chemists""",
    """soluble, insoluble, volatile, acidic, alkaline, aqueous, exothermic, endothermic, catalytic,
    reactive, inert, oxidised, molecular, crystalline, organic, inorganic, toxic, flammable,
    polar, diluted, saturated, synthetic""",
    """reacted with, oxidised, reduced, dissolved, titrated, distilled, precipitated, synthesised,
    catalysed, ionised, neutralised, evaporated, crystallised, diluted, heated, weighed,
    filtered, bonded with, decomposed, polymerised, extracted, purified""",
)

_VOLCANOES: Final = _vocabulary(
    "volcanoes",
    """volcanoes, volcano, volcanic eruption, active volcano, volcano observatory, shield volcano,
    dormant volcano, submarine volcano""",
    """lava, lava flow, lava dome, magma, magma chamber, crater, caldera, crater lake, vent,
    fumarole, geyser, hot spring, ash cloud, ash fall, tephra, pumice, obsidian, basalt,
    andesite, rhyolite, scoria, cinder cone, stratovolcano, pyroclastic flow, lahar, mudflow,
    landslide, fissure, rift zone, hot spot, subduction zone, tectonic plate, mid-ocean ridge,
    island arc, seismometer, tremor, earthquake swarm, tiltmeter, gas sampling, sulphur dioxide,
    thermal camera, eruption column, plume, lightning, shock wave, ballistic blocks, lava bomb,
    lava tube, pahoehoe, pillow lava, dyke, sill, plug, columnar jointing, mantle, crust,
    geologist, volcanologist, hazard map, exclusion zone, evacuation, alert level, aviation
    warning, airspace closure, tsunami, volcanic winter, krakatoa, vesuvius, etna, pinatubo,
    mauna loa, pompeii, soufriere, ring of fire, geothermal power, summit""",
    """molten, eruptive, explosive, effusive, dormant, extinct, basaltic, igneous, seismic,
    incandescent, glowing, ash-laden, sulphurous, tectonic, pyroclastic, geothermal, steep-sided,
    viscous, smouldering, buried, gaseous, silicic""",
    """erupted, spewed, exploded, buried, melted, solidified into, vented, collapsed onto, trembled
    beneath, evacuated, engulfed, flowed past, ejected, intruded, degassed, cooled, fractured,
    uplifted, rumbled under, scorched, blanketed, inflated""",
)

_CERAMICS: Final = _vocabulary(
    "ceramics",
    """ceramics, studio ceramics, ceramics museum, ceramics workshop, glazed ceramics,
    ancient ceramics, ceramics collection, contemporary ceramics""",
    """clay, stoneware, earthenware, porcelain, bone china, terracotta, raku, majolica, faience,
    celadon, delftware, slipware, potter, pottery, potter's wheel, kick wheel, throwing, coil
    building, slab building, pinch pot, slip casting, plaster mould, slip, engobe, glaze, glaze
    recipe, ash glaze, salt glaze, lustre, underglaze, cobalt oxide, copper oxide, iron oxide,
    feldspar, kaolin, silica, flux, grog, kiln, wood kiln, gas kiln, electric kiln, kiln shelf,
    pyrometric cone, bisque firing, glaze firing, reduction firing, saggar, stoke hole, crackle,
    crazing, pinholes, warping, shrinkage, leather-hard stage, bone-dry stage, trimming tool,
    wire cutter, rib, sponge, bat, teapot, teabowl, vase, jug, platter, tile, figurine, amphora,
    shard, sherds, incised pattern, sgraffito, handle, spout, foot ring""",
    """glazed, unglazed, fired, unfired, wheel-thrown, hand-built, vitreous, porous, translucent,
    crackled, incised, burnished, speckled, matt, glossy, kiln-dried, earthen, moulded, cast,
    brittle, leather-hard, salt-fired""",
    """threw, glazed, fired, moulded, kneaded, wedged, burnished, incised, trimmed, slipped, cast,
    stacked, centred, decorated, painted, vitrified, cracked, exhibited, excavated, stamped,
    dipped, cooled""",
)

TOPICS: Final = (
    _DENGUE,
    _RAILWAYS,
    _COOKING,
    _ASTRONOMY,
    _MUSIC,
    _CHESS,
    _FOOTBALL,
    _GARDENING,
    _SAILING,
    _CHEMISTRY,
    _VOLCANOES,
    _CERAMICS,
)
"""In the order in which topics stand on the ring; a web of n topics takes the first n."""
