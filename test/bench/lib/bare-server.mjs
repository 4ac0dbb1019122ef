// The baseline: a bare node:http server that only collects the bodies in memory.
import { createServer } from 'node:http'

const bodies = []
createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    bodies.push(Buffer.concat(chunks))
    response.writeHead(200)
    response.end()
  })
}).listen(0, '127.0.0.1', function () {
  process.stdout.write(`http://127.0.0.1:${this.address().port}/hook\n`)
})
