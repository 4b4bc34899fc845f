/** Runs what the parent process names, and tells it the port: `process.js subgraphs` or `process.js <contender>`. The first message has the options. */
const [name] = process.argv.slice(2)
const options = await new Promise((resolve) => process.once('message', resolve))
const { start } = await import(name === 'subgraphs' ? './subgraphs.js' : `./contenders/${name}.js`)
process.send(await start(options))
process.once('disconnect', () => process.exit())
