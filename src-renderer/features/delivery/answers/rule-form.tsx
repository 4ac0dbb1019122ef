import { type RefObject, useEffect } from 'react'
import type { AnswerAction } from '../../../../src-preload/contract/answer-rule.ts'
import { request } from '../../../app/bridge.ts'
import { FormFoot } from '../../../ui/form-foot.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextArea, TextField } from '../../../ui/text-field.tsx'
import { useDraft } from '../../../app/use-draft.ts'
import layout from '../../../ui/form.module.css'
import type { QueryFieldHandle } from '../../../components/query/query-field.tsx'
import { FilterField } from '../../../components/query/filter-field.tsx'
import { answerRules } from './answer-rules.ts'
import { ActionChoice } from './action-choice.tsx'
import { StatusField } from './status-field.tsx'
import { type RuleDraft, type RuleErrors, readDraft } from './rule-draft.ts'
import styles from './answers.module.css'

/** Writes a rule; what is refused is said at its field. */
export function RuleForm({
  given,
  first,
  onClose,
}: {
  given: RuleDraft
  first: RefObject<QueryFieldHandle | null>
  onClose: () => void
}) {
  const form = useDraft(given)
  const { draft, change, busy } = form
  const errors: RuleErrors = form.errors
  useEffect(() => first.current?.focus(), [first])

  const save = async () => {
    const read = readDraft(draft)
    if (read.input === null) return { errors: read.errors, problem: null }
    await request('answerRule.save', read.input)
    await answerRules.reload()
    announce('The answer rule is saved')
    onClose()
    return null
  }

  return (
    <form
      className={layout['form']}
      aria-label="Answer rule"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void form.submit(save)
      }}
    >
      <FilterField
        ref={first}
        value={draft.filter}
        onChange={(filter) => change({ filter })}
        error={errors.filter}
        stage="arrival"
      />
      <ActionChoice
        value={draft.kind}
        onChange={(kind: AnswerAction['kind']) => change({ kind })}
      />
      {draft.kind === 'answer' && <AnswerFields draft={draft} errors={errors} onChange={change} />}
      {draft.kind === 'cut' && (
        <TextField
          label="Cut after"
          inputMode="numeric"
          suffix="bytes of an answer"
          hint="0 cuts before the first."
          value={draft.after}
          onChange={(after) => change({ after })}
          error={errors.after}
        />
      )}
      <div className={styles['pair']}>
        <TextField
          label="For the next"
          inputMode="numeric"
          placeholder="all"
          suffix="deliveries"
          hint="Then it is off by itself."
          value={draft.next}
          onChange={(next) => change({ next })}
          error={errors.next}
        />
        <TextField
          label="Of a hundred"
          inputMode="numeric"
          placeholder="all"
          suffix="%"
          hint="Evenly; the others go on to the next rule."
          value={draft.sharePercent}
          onChange={(sharePercent) => change({ sharePercent })}
          error={errors.sharePercent}
        />
      </div>
      <Switch label="On" checked={draft.enabled} onChange={(enabled) => change({ enabled })} />
      <FormFoot
        problem={form.problem}
        busy={busy}
        action={busy ? 'Saving…' : draft.id === null ? 'Add the rule' : 'Save'}
        onCancel={onClose}
      />
    </form>
  )
}

function AnswerFields({
  draft,
  errors,
  onChange,
}: {
  draft: RuleDraft
  errors: RuleErrors
  onChange: (part: Partial<RuleDraft>) => void
}) {
  return (
    <>
      <div className={styles['pair']}>
        <StatusField
          value={draft.status}
          error={errors.status}
          onChange={(status) => onChange({ status })}
        />
        <TextField
          label="After"
          inputMode="decimal"
          suffix="seconds"
          value={draft.delay}
          onChange={(delay) => onChange({ delay })}
          error={errors.delay}
        />
      </div>
      <details
        className={layout['more']}
        open={draft.headers !== '' || draft.body !== '' || errors.headers !== undefined}
      >
        <summary>Headers and body</summary>
        <div className={layout['options']}>
          <TextArea
            label="Headers"
            rows={3}
            mono
            placeholder="Retry-After: 30"
            spellCheck={false}
            value={draft.headers}
            onChange={(headers) => onChange({ headers })}
            error={errors.headers}
          />
          <TextArea
            label="Body"
            rows={4}
            mono
            maxLength={100_000}
            placeholder="Empty"
            spellCheck={false}
            value={draft.body}
            onChange={(body) => onChange({ body })}
          />
        </div>
      </details>
    </>
  )
}
