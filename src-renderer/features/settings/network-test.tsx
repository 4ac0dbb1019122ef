import { useEffect, useRef, useState } from 'react'
import type { Network, NetworkCheck } from '../../../src-preload/contract/network.ts'
import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { announce } from '../../ui/live-region.tsx'
import { type Tone, Tag } from '../../ui/tag.tsx'
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

type Result = { readonly of: string; readonly checks: readonly NetworkCheck[] }

/**
 * Asks the network whether what is kept for it works. The answer stands until it is asked again, or
 * another key or address is kept.
 */
export function NetworkTest({ network }: { network: Network }) {
  const current = testedOf(network)
  const [result, setResult] = useState<Result | null>(null)
  const [busy, setBusy] = useState(false)
  const latest = useRef(current)
  useEffect(() => {
    latest.current = current
  })

  const ask = async (): Promise<Result | null> => {
    const of = latest.current
    const checks = await attempt(`Could not test ${network.name}`, () =>
      request('network.test', { id: network.id }),
    )
    if (checks === undefined) return null
    // A key that was still on its way to the keychain is what was to be tested.
    return of === latest.current ? { of, checks } : ask()
  }

  const test = async () => {
    setBusy(true)
    const answered = await ask()
    setBusy(false)
    if (answered === null) return
    setResult(answered)
    announce(answered.checks.map(describe).join('. '))
  }

  const checks = result?.of === current ? result.checks : null
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

/** Changes with its addresses and keys: what a test of the former ones said is no longer true. */
function testedOf({ urls, secrets }: Network): string {
  return JSON.stringify([urls, secrets.api?.addedAt, secrets.invoices?.addedAt])
}
