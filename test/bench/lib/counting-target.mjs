// A target that responds 200 to every request and counts them: `GET /count` returns the number.
import { createServer } from 'node:http'

let count = 0
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    if (request.method === 'GET' && request.url === '/count') {
      response.end(String(count))
      return
    }
    count += 1
    response.writeHead(200)
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/hook\n`)
})
