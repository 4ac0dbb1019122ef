// Starts mockttp, the fastest comparable server that can be installed, as its users do.
import { createRequire } from 'node:module'

const require = createRequire(new URL('../peers/package.json', import.meta.url))
const server = require('mockttp').getLocal()
await server.start()
await server.forPost('/hook').thenReply(200)
process.stdout.write(`${server.urlFor('/hook')}\n`)
