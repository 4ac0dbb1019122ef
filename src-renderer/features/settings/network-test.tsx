import { useState } from 'react'
import type { Network, NetworkCheck } from '../../../src-preload/contract/index.ts'
import { attempt } from '../../attempt.ts'
import { request } from '../../bridge.ts'
import { Button } from '../../ui/button.tsx'
import { announce } from '../../ui/live-region.tsx'
import type { Tone } from '../../ui/tag.tsx'
import { Tag } from '../../ui/tag.tsx'
import styles from './network-entry.module.css'

const roots: Record<NetworkCheck['root'], string> = {
  query: 'Query API',
  webhooks: 'Webhooks',
  invoices: 'Invoices',
}

const outcomes: Record<NetworkCheck['outcome'], readonly [Tone, string]> = {
  ok: ['ok', 'works'],
  'no-key': ['warn', 'no key'],
  'wrong-key': ['bad', 'wrong key'],
  'no-capability': ['bad', 'not allowed'],
  limited: ['warn', 'asked too often'],
  unreachable: ['bad', 'not reached'],
  unexpected: ['bad', 'unexpected'],
  absent: ['plain', 'none'],
}

/** Asks the network whether what is kept for it works. The answer stands until it is asked again. */
export function NetworkTest({ network }: { network: Network }) {
  const [checks, setChecks] = useState<readonly NetworkCheck[] | null>(null)
  const [busy, setBusy] = useState(false)

  const test = async () => {
    setBusy(true)
    const answered = await attempt(`Could not test ${network.name}`, () =>
      request('network.test', { id: network.id }),
    )
    setBusy(false)
    if (answered === undefined) return
    setChecks(answered)
    announce(answered.map(describe).join('. '))
  }

  return (
    <>
      {checks !== null && (
        <ul className={styles['checks']} aria-label={`Test of ${network.name}`}>
          {checks.map((check) => (
            <Outcome key={check.root} check={check} />
          ))}
        </ul>
      )}
      <div className={styles['head']}>
        <Button
          icon="refresh"
          aria-label={`Test connection to ${network.name}`}
          busy={busy}
          onClick={() => void test()}
        >
          Test connection
        </Button>
      </div>
    </>
  )
}

function describe({ root, outcome }: NetworkCheck): string {
  return `${roots[root]}: ${outcomes[outcome][1]}`
}

function Outcome({ check: { root, outcome, message, milliseconds } }: { check: NetworkCheck }) {
  const [tone, word] = outcomes[outcome]
  return (
    <li className={styles['check']}>
      <span>{roots[root]}</span>
      <span>
        <Tag tone={tone}>{word}</Tag>
      </span>
      <span>
        {message}
        {outcome === 'ok' && milliseconds !== null && ` In ${milliseconds} ms.`}
      </span>
    </li>
  )
}
