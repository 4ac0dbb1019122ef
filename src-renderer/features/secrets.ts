import { on, request } from '../bridge.ts'
import { createResource } from '../resource.ts'

export const secretsState = createResource(() => request('secrets.state'))
export const webhookTokens = createResource(() => request('webhookToken.list'))

export function startSecrets(): () => void {
  const stops = [
    on('secrets.changed', (state) => {
      secretsState.set(state)
      void webhookTokens.reload()
    }),
    on('webhookToken.changed', () => void webhookTokens.reload()),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
