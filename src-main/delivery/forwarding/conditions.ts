/** Reports to the incidents which forwarding rules cannot reach their targets. */
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import type { Condition } from '../../../src-preload/contract/incident.ts'
import type { AppContext } from '../../app/context.ts'

/** @returns a function to call with all rules at each change */
export function createTargetConditions(
  incidents: Pick<AppContext['incidents'], 'report' | 'keepOnly'>,
) {
  /** The time of the last attempt at each target, in microseconds. */
  let tried = new Map<string, number | null>()

  return (rules: readonly ForwardRule[]): void => {
    const now: typeof tried = new Map()
    const enabled = rules.filter((rule) => rule.enabled)
    for (const { id, name, health } of enabled) {
      const down = health.filter(({ state }) => state === 'down')
      let failures = 0
      for (const { url, lastTriedAt } of down) {
        const key = `${id} ${url}`
        now.set(key, lastTriedAt)
        if (tried.get(key) !== lastTriedAt) failures += 1
      }
      // Unknown until something was sent after the rule was created or changed.
      const isUnknown = down.length === 0 && health.some(({ state }) => state === 'unknown')
      if (isUnknown) continue
      const condition = describeDown(name, down)
      incidents.report(null, `target:${id}`, { condition, failures })
    }
    tried = now
    incidents.keepOnly(
      null,
      'target',
      enabled.map(({ id }) => `target:${id}`),
    )
  }
}

function describeDown(rule: string, down: ForwardRule['health']): Condition | null {
  const [first] = down
  if (first === undefined) return null
  const of = rule === '' ? '' : ` of the rule “${rule}”`
  const waiting = down.reduce((sum, target) => sum + target.waiting, 0)
  // Only hosts are named, because a path may be a secret.
  const hosts = down.map(({ url }) => URL.parse(url)?.host ?? url)
  const problem = first.lastProblem === null ? '' : ` ${first.lastProblem}`
  return {
    kind: 'failing',
    level: 'warning',
    title:
      down.length === 1
        ? `Forwarding to ${hosts[0] ?? ''} fails`
        : `Forwarding to ${down.length} targets fails`,
    cause: `${hosts.join(', ')}${of} did not accept the last capture.${problem} Captures waiting: ${waiting}.`,
    nextStep: 'Check your server and the URL of the target. Tondesk retries automatically.',
  }
}
