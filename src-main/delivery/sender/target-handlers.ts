import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { Sending } from './sending.ts'

type TargetHandlers = Pick<Handlers, Extract<keyof Handlers, `target.${string}`>>

export function createTargetHandlers(sending: Sending): TargetHandlers {
  return {
    'target.check': ({ url }) => sending.ask('target.check', { url }),
    async 'target.confirm'({ host }) {
      await sending.ask('target.confirm', { host })
      return {}
    },
    'target.confirmed': () => sending.ask('target.confirmed'),
    async 'target.forget'({ host }) {
      await sending.ask('target.forget', { host })
      return {}
    },
  }
}
