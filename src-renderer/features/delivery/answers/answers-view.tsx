import type { AnswerRule } from '../../../../src-preload/contract/answer-rule.ts'
import { formatCount } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { useResource } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import warning from '../../../ui/warning.module.css'
import { answerRules } from './answer-rules.ts'
import { isActive } from './answer-words.ts'
import { AnswerRuleDialog, openAnswerRule } from './rule-dialog.tsx'
import { RulesTable } from './rules-table.tsx'
import styles from './answers.module.css'

/** What the gateway gets in the place of 200, to try out how it takes failures. */
export function AnswersView() {
  const state = useResource(answerRules)
  useShortcuts([{ keys: ['n'], label: 'New rule', group: 'Answers', run: () => openAnswerRule() }])
  return (
    <>
      {state.status === 'failed' && (
        <FailedState
          what="The rules could not be listed"
          why={state.error.message}
          onRetry={() => void answerRules.reload()}
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
      <AnswerRuleDialog />
    </>
  )
}

function NoRules() {
  return (
    <EmptyState
      title="Every delivery is answered 200"
      detail="A rule answers some of them otherwise: a failure, late, never, or with the connection cut. So you see how the gateway takes it: when it tries again, and when it gives up. What arrives is kept all the same."
    >
      <Button kind="main" icon="plus" onClick={() => openAnswerRule({ next: '3' })}>
        Answer the next 3 with 500…
      </Button>
    </EmptyState>
  )
}

function Rules({ rules, problem }: { rules: readonly AnswerRule[]; problem: string | null }) {
  const active = rules.filter(isActive).length
  return (
    <div className={pane['pane']}>
      <div>
        <div className={pane['head']}>
          <h2 className={pane['title']}>{formatCount(rules.length, 'rule')}</h2>
          <span className={styles['hint']}>
            {active === 0
              ? 'None is on: every delivery is answered 200.'
              : 'The first that matches wins. What none takes is answered 200.'}
          </span>
          <span className={styles['end']}>
            <Button icon="plus" kind="main" onClick={() => openAnswerRule()}>
              New rule <Kbd>n</Kbd>
            </Button>
          </span>
        </div>
        {problem !== null && (
          <p className={warning['bar']} role="alert">
            What you see may be old: {problem}{' '}
            <Button onClick={() => void answerRules.reload()}>Try again</Button>
          </p>
        )}
      </div>
      <RulesTable rules={rules} />
    </div>
  )
}
