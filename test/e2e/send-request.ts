import type { Input, Output, RouteName } from '../../src-preload/contract/routes.ts'
import { connectLocalSocket } from '../../src-main/bridge/local-socket-client.ts'
import { localSocketPath } from '../../src-main/bridge/local-socket.ts'
import type { Tondesk } from './fixture.ts'

export type SendRequest = <N extends RouteName>(name: N, input?: Input<N>) => Promise<Output<N>>

/**
 * Calls a route of the app directly, as the command line does, for preparations that need no
 * window.
 */
export async function connectRequests({
  dataDirectory,
}: Pick<Tondesk, 'dataDirectory'>): Promise<SendRequest> {
  const client = await connectLocalSocket(localSocketPath(dataDirectory))
  if (client === null) throw new Error('The local socket does not respond.')
  return async <N extends RouteName>(name: N, input?: Input<N>) => {
    const envelope = await client.request(name, input)
    if (!envelope.ok) throw new Error(`${name}: ${envelope.error.message}`)
    return envelope.data as Output<N>
  }
}
