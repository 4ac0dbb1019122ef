import { useState } from 'react'
import type { ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { formatCount } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { navigate, useRoute } from '../../../app/route.ts'
import { type ButtonKind, Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Splitter } from '../../../ui/splitter.tsx'
import warning from '../../../ui/warning.module.css'
import { confirmedHosts } from '../targets/confirmed.ts'
import { ConfirmedHostsDialog } from '../targets/confirmed-hosts.tsx'
import { RuleDetail } from './rule-detail.tsx'
import { RuleDialog, openRule } from './rule-dialog.tsx'
import { RuleList } from './rule-list.tsx'
import { countWaiting } from './rule-words.ts'
import { forwardRules, forwardingHome } from './rules.ts'
import styles from './forwarding.module.css'

/** Where deliveries go on to, how each target fares, and what waits for it. */
export function ForwardingView() {
  const state = useResource(forwardRules)
  useShortcuts([{ keys: ['n'], label: 'New rule', group: 'Forwarding', run: () => openRule() }])
  return (
    <>
      {state.status === 'failed' && (
        <FailedState
          what="The rules could not be listed"
          why={state.error.message}
          onRetry={() => void forwardRules.reload()}
        />
      )}
      {(state.status === 'idle' || state.status === 'loading') && (
        <Skeleton rows={6} label="Loading the rules" />
      )}
      {state.status === 'ready' &&
        (state.value.length === 0 ? (
          <NoRules />
        ) : (
          <Rules rules={state.value} problem={state.problem?.message ?? null} />
        ))}
      <RuleDialog />
    </>
  )
}

const usualTarget = 'http://localhost:3000'

function NoRules() {
  // Replays ask for them as well.
  const hosts = valueOf(useResource(confirmedHosts)) ?? []
  return (
    <EmptyState
      title="Nothing is forwarded yet"
      detail="A rule sends deliveries on to the server you are working on, byte for byte. While it is down they wait here, and go out in order once it is back: nothing is lost, and nothing has to be sent again by hand."
    >
      <Button kind="main" icon="send" onClick={() => openRule({ targets: [usualTarget] })}>
        Forward to {usualTarget}…
      </Button>
      {hosts.length > 0 && <Hosts kind="plain" />}
    </EmptyState>
  )
}

/** The detail is what one looks at here: it has the larger share, unlike beside captures. */
const widthKey = 'tondesk.rules-list'
const usualPercent = 42

function readPercent(): number {
  const kept = Number(window.localStorage.getItem(widthKey))
  return kept >= 20 && kept <= 80 ? kept : usualPercent
}

function Rules({ rules, problem }: { rules: readonly ForwardRule[]; problem: string | null }) {
  const openId = useRoute(({ route }) =>
    route.page === 'workbench' && route.view === 'forwarding' ? route.rule : null,
  )
  const [percent, setPercent] = useState(readPercent)
  const open = rules.find(({ id }) => id === openId)
  const waiting = rules.reduce((sum, rule) => sum + countWaiting(rule), 0)
  return (
    <div className={pane['pane']}>
      <div>
        <div className={pane['head']}>
          <h2 className={pane['title']}>{formatCount(rules.length, 'rule')}</h2>
          {waiting > 0 && (
            <span className={styles['waiting']}>
              {formatCount(waiting, 'delivery', 'deliveries')} waiting
            </span>
          )}
          <span className={styles['end']}>
            <Hosts kind="quiet" />
            <Button icon="plus" kind="main" onClick={() => openRule()}>
              New rule <Kbd>n</Kbd>
            </Button>
          </span>
        </div>
        {problem !== null && (
          <p className={warning['bar']} role="alert">
            What you see may be old: {problem}{' '}
            <Button onClick={() => void forwardRules.reload()}>Try again</Button>
          </p>
        )}
      </div>
      <Splitter
        label="List width"
        percent={percent}
        onCommit={(next) => {
          window.localStorage.setItem(widthKey, String(next))
          setPercent(next)
        }}
        left={<RuleList rules={rules} openId={openId} />}
        right={
          openId === null ? null : open === undefined ? (
            <EmptyState title="There is no such rule" detail="It was removed, or never was here.">
              <Button onClick={() => navigate(forwardingHome)}>Show all rules</Button>
            </EmptyState>
          ) : (
            <RuleDetail key={open.id} rule={open} />
          )
        }
      />
    </div>
  )
}

function Hosts({ kind }: { kind: ButtonKind }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind={kind} onClick={() => setOpen(true)}>
        Confirmed hosts
      </Button>
      <ConfirmedHostsDialog open={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}
