/** The process that `start-flags.ts` measures: the gateway of the comparison, beside what a directory keeps in memory. */
import { start } from '../gateway/contenders/atrium.js'

/** About 40 MB, in objects of some fields. */
const itemsOf = (edition) =>
  Array.from({ length: 150_000 }, (_, index) => ({
    id: `item-${index}`,
    name: `The name of item ${index} in edition ${edition}`,
    tags: [`tag ${index % 90}`, `kind ${index % 7}`],
    stars: index,
  }))

let held = itemsOf(0)
const options = await new Promise((resolve) => process.once('message', resolve))
process.send({ port: await start(options) })
// As when the directory is read again: the old edition becomes garbage of the old generation.
process.on('message', (edition) => {
  held = itemsOf(edition)
  process.send({ held: held.length })
})
process.once('disconnect', () => process.exit())
