/**
 * A target that stores each delivery before it acknowledges it. Arguments: a port, the file. Each
 * line is JSON: [delivery id, account, lt, SHA-256 of the body, time in milliseconds].
 */
import { createHash } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'

const [port = '0', file = ''] = process.argv.slice(2)
const records = openSync(file, 'a')

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const body = Buffer.concat(parts)
    const { account_id: account, lt } = JSON.parse(body.toString('utf8')) as {
      account_id: string
      lt: number
    }
    const hash = createHash('sha256').update(body).digest('hex')
    const id = request.headers['x-tondesk-delivery']
    // A single write leaves only whole lines after a kill, and the system keeps written data.
    writeSync(records, `${JSON.stringify([id, account, lt, hash, Date.now()])}\n`)
    response.writeHead(200, { 'Content-Length': '0' }).end()
  })
})
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'))
