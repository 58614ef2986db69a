import { accountFaults } from './accounts.js'
import { authenticatorFaults } from './authenticators.js'
import { breadthFaults } from './breadth.js'
import { cacheFaults } from './caches.js'
import { argumentAndCallFaults } from './calls.js'
import { contentionFaults } from './contention.js'
import { crossingFaults } from './crossing.js'
import { documentFaults } from './documents.js'
import { changeFaults, effectFaults, expiryFaults } from './effects.js'
import { errorFaults } from './errors.js'
import { fewerFaults } from './fewer.js'
import { fieldFaults } from './field.js'
import { flightFaults } from './flights.js'
import { evictionFaults, hitFaults } from './hits.js'
import { indexFaults, refusalFaults, revivalFaults } from './indexes.js'
import { interleavedFaults } from './interleaved.js'
import { joinFaults } from './joins.js'
import { keyFaults } from './keys.js'
import { keyValueFaults } from './keyvalue.js'
import { mutatingFaults } from './mutating.js'
import { neighbourFaults } from './neighbours.js'
import { pairFaults } from './pairs.js'
import { peerFaults } from './peers.js'
import { raceFaults } from './races.js'
import { rememberingFaults } from './remembering.js'
import { resultFaults } from './results.js'
import { serverFaults } from './servers.js'
import { sessionFaults } from './sessions.js'
import { singleFaults } from './single.js'
import { spellingFaults } from './spellings.js'
import { storedFaults } from './stored.js'
import { textFaults } from './texts.js'
import { tokenFaults } from './tokens.js'
import { typeFaults } from './types.js'
import { updateFaults } from './updates.js'
import { userFaults } from './users.js'
import { valueFaults } from './values.js'
import { wrapperFaults } from './wrappers.js'

/** Adapters that are broken on purpose, each in one way. */
export const allFaults = [
  ...userFaults,
  ...updateFaults,
  ...accountFaults,
  ...sessionFaults,
  ...tokenFaults,
  ...authenticatorFaults,
  ...neighbourFaults,
  ...cacheFaults,
  ...raceFaults,
  ...argumentAndCallFaults,
  ...keyFaults,
  ...textFaults,
  ...typeFaults,
  ...errorFaults,
  ...keyValueFaults,
  ...documentFaults,
  ...rememberingFaults,
  ...wrapperFaults,
  ...joinFaults,
  ...interleavedFaults,
  ...crossingFaults,
  ...fewerFaults,
  ...resultFaults,
  ...mutatingFaults,
  ...serverFaults,
  ...fieldFaults,
  ...singleFaults,
  ...indexFaults,
  ...refusalFaults,
  ...revivalFaults,
  ...hitFaults,
  ...evictionFaults,
  ...effectFaults,
  ...changeFaults,
  ...expiryFaults,
  ...contentionFaults,
  ...flightFaults,
  ...peerFaults,
  ...pairFaults,
  ...spellingFaults,
  ...valueFaults,
  ...breadthFaults,
  ...storedFaults,
]
