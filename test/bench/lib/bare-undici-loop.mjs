// The baseline of replay: undici in a loop that only checks the status. Arguments: the target's
// URL, the number of requests, the number of concurrent requests. Prints requests per second.
import { Pool } from 'undici'

const [url, count, parallel] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const { origin, pathname } = new URL(url)
const pool = new Pool(origin, { connections: parallel, pipelining: 1 })
const account = `0:${'83dfd552'.repeat(8)}`
const hash = '1c2b3a4d'.repeat(8)
let sent = 0

async function loop() {
  while (sent < count) {
    sent += 1
    const body = `{"event_type":"account_tx","account_id":"${account}","lt":${25713146000000 + sent},"tx_hash":"${hash}"}`
    const answer = await pool.request({
      method: 'POST',
      path: pathname,
      headers: {
        'User-Agent': 'tonapi',
        'Content-Type': 'application/json',
        Authorization: 'Bearer 0123456789abcdef',
      },
      body,
    })
    await answer.body.dump()
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
  }
}

const started = performance.now()
await Promise.all(Array.from({ length: parallel }, loop))
process.stdout.write(`${(count * 1000) / (performance.now() - started)}\n`)
await pool.close()
