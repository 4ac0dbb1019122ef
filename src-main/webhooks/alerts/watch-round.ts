import type { LagReader } from '../lag/lag.ts'
import type { RoundObserver } from '../parts.ts'
import type { Alerts } from './alerts.ts'

/** After each round of the sampler: what it has read is told before the lag, which takes its time. */
export function createWatchRound(alerts: Pick<Alerts, 'look'>, lag: LagReader): RoundObserver {
  return async function watchRound(network, signal) {
    await alerts.look(network)
    await lag.read(network, signal)
    await alerts.look(network)
  }
}
