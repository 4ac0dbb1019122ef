import { connectLocalSocket } from '../bridge/local-socket-client.ts'
import { localSocketPath } from '../bridge/local-socket.ts'
import type { Command } from './command.ts'
import { serve, showRunning } from './serve.ts'

export const open: Command = {
  name: 'open',
  summary: 'show the app that runs, or start it in the browser',
  options: serve.options,
  detail: [
    'A window that is open comes to the front. In browser mode another start URL is printed and\nopened; it is good for one tab and for ten minutes.',
  ],
  async run(invocation) {
    const client = await connectLocalSocket(localSocketPath(invocation.dataDirectory))
    return client ? showRunning(client, invocation) : serve.run(invocation)
  },
}
