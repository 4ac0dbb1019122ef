/** Checks for newer versions of the installed app, and downloads one when the user requests it. */
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { UpdateState } from '../../src-preload/contract/update.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'
import type { BaseContext, UpdateHost } from './context.ts'

/**
 * The first check waits, because the start has more important work and many apps that start
 * together would burden the feed.
 */
const firstCheckMs = 60_000
const checkEveryMs = 24 * 60 * 60_000

export function createUpdates({ config, events, log, now, resources, settings }: BaseContext) {
  const host = config.updates
  let state: UpdateState = {
    status: host === undefined ? 'off' : 'idle',
    version: null,
    notes: null,
    percent: null,
    problem: null,
    checkedAt: null,
  }

  function change(patch: Partial<UpdateState>): UpdateState {
    state = { ...state, ...patch }
    events.emit('update.changed', state)
    return state
  }

  async function check(): Promise<UpdateState> {
    const before = state.status
    if (host === undefined || ['checking', 'downloading', 'ready'].includes(before)) return state
    change({ status: 'checking', problem: null })
    try {
      const found = await host.check()
      const { version = null, notes = null } = found ?? {}
      const status = found === null ? 'current' : 'available'
      return change({ status, version, notes, checkedAt: now() })
    } catch (error) {
      log.failure('The check for a newer version failed.', error)
      return change({ status: before, problem: messageOf(error) })
    }
  }

  async function download(from: UpdateHost): Promise<void> {
    try {
      await from.download((percent) => change({ percent }))
      change({ status: 'ready', percent: null })
    } catch (error) {
      log.failure('The download of a newer version failed.', error)
      change({ status: 'available', percent: null, problem: messageOf(error) })
    }
  }

  const handlers: Pick<Handlers, Extract<keyof Handlers, `update.${string}`>> = {
    'update.state': () => state,
    'update.check': check,
    'update.download'() {
      if (host === undefined || state.status !== 'available') return state
      const started = change({ status: 'downloading', percent: 0, problem: null })
      void download(host)
      return started
    },
  }

  const checkIfWanted = () => {
    if (settings.get().updates.automatic) void check()
  }
  return {
    handlers,
    start(): void {
      if (host === undefined) return
      const first = setTimeout(checkIfWanted, firstCheckMs)
      const timer = setInterval(checkIfWanted, checkEveryMs)
      first.unref()
      timer.unref()
      resources.defer(() => {
        clearTimeout(first)
        clearInterval(timer)
      })
    },
  }
}
