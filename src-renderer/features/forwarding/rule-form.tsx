import type { RefObject } from 'react'
import { useState } from 'react'
import { request, toAppError } from '../../bridge.ts'
import { readFieldErrors } from '../../form-values.ts'
import { navigate } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { announce } from '../../ui/live-region.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import form from '../../ui/form.module.css'
import { FilterField } from '../inspector/query/filter-field.tsx'
import { confirmTarget } from '../targets/confirm-target.ts'
import { rememberTarget } from '../targets/recent-targets.ts'
import { checkTarget } from '../targets/use-target-check.ts'
import { ModeChoice } from './mode-choice.tsx'
import type { DraftErrors, RuleDraft } from './rule-draft.ts'
import { readDraft } from './rule-draft.ts'
import { forwardRules, ruleRoute } from './rules.ts'
import { TargetFields } from './target-fields.tsx'
import { titleOf } from './rule-words.ts'

/** Writes a rule; what is refused is said at its field. */
export function RuleForm({
  given,
  first,
  onClose,
}: {
  given: RuleDraft
  first: RefObject<HTMLInputElement | null>
  onClose: () => void
}) {
  const [draft, setDraft] = useState(given)
  const [errors, setErrors] = useState<DraftErrors>({})
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const change = (part: Partial<RuleDraft>) => {
    setDraft({ ...draft, ...part })
    setErrors({})
    setProblem(null)
  }

  const submit = async () => {
    const read = readDraft(draft)
    if (read.input === null) {
      setErrors(read.errors)
      return
    }
    setBusy(true)
    setProblem(null)
    try {
      const refused = await agreeOn(read.input.targets)
      if (refused !== null) {
        setErrors(refused)
        return
      }
      const rule = await request('forwardRule.save', read.input)
      for (const url of read.input.targets) rememberTarget(url)
      await forwardRules.reload()
      announce(`“${titleOf(rule)}” is saved`)
      onClose()
      navigate(ruleRoute(rule.id))
    } catch (caught) {
      const error = toAppError(caught)
      const fields = readFieldErrors(error)
      if (fields !== null) setErrors(fields)
      else if (error.code === 'QUERY_INVALID') setErrors({ filter: error.message })
      else setProblem(error.message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      className={form['form']}
      aria-label="Forwarding rule"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void submit()
      }}
    >
      <TargetFields
        targets={draft.targets}
        errors={errors}
        first={first}
        onChange={(targets) => change({ targets })}
      />
      <FilterField
        value={draft.filter}
        onChange={(filter) => change({ filter })}
        error={errors['filter']}
        stage={draft.mode === 'through' ? 'arrival' : 'indexed'}
      />
      <ModeChoice value={draft.mode} onChange={(mode) => change({ mode })} />
      <TextField
        label="Name"
        maxLength={80}
        placeholder="Optional: the target stands for it"
        value={draft.name}
        onChange={(name) => change({ name })}
        error={errors['name']}
      />
      <details className={form['more']} open={hasMore(given)}>
        <summary>Path, host, time limits</summary>
        <div className={form['options']}>
          <More draft={draft} errors={errors} onChange={change} />
        </div>
      </details>
      <div className={form['foot']}>
        {problem !== null && (
          <p className={form['problem']} role="alert">
            {problem}
          </p>
        )}
        <div className={form['buttons']}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="main" busy={busy}>
            {busy ? 'Saving…' : draft.id === null ? 'Forward' : 'Save'}
          </Button>
        </div>
      </div>
    </form>
  )
}

/** Asks for each host that is not this computer. @returns what is wrong at which target, else null */
async function agreeOn(targets: readonly string[]): Promise<DraftErrors | null> {
  for (const [index, url] of targets.entries()) {
    const field = `targets.${index}`
    const check = await checkTarget(url)
    if (check.status === 'unknown' && check.isInvalid) return { [field]: check.why }
    // A name that cannot be resolved now may be later: the rule tells of it then.
    if (check.status !== 'known') continue
    const { verdict } = check
    if (verdict.kind === 'refused') {
      return { [field]: verdict.problem ?? 'Nothing is ever sent there.' }
    }
    if (verdict.kind !== 'public' || verdict.isConfirmed) continue
    const yes = await confirmTarget(verdict, 'All deliveries of this rule')
    if (!yes) return { [field]: `You have not said yes to ${verdict.host}.` }
  }
  return null
}

/** What is not as usual is not to be overlooked. */
function hasMore(draft: RuleDraft): boolean {
  const { keepHost, appendPath, fullAnswer, giveUpHours, timeoutSeconds } = draft
  return keepHost || appendPath || fullAnswer || giveUpHours !== null || timeoutSeconds !== '15'
}

function More({
  draft,
  errors,
  onChange,
}: {
  draft: RuleDraft
  errors: DraftErrors
  onChange: (part: Partial<RuleDraft>) => void
}) {
  return (
    <>
      <Switch
        label="Append the path"
        hint="What stands after /hook/<token> goes after the target’s own path, and never above it."
        checked={draft.appendPath}
        onChange={(appendPath) => onChange({ appendPath })}
      />
      <Switch
        label="Keep the host"
        hint="The target sees the Host that the gateway asked for, instead of its own."
        checked={draft.keepHost}
        onChange={(keepHost) => onChange({ keepHost })}
      />
      <TextField
        label="A try ends after"
        inputMode="numeric"
        suffix="seconds"
        value={draft.timeoutSeconds}
        onChange={(timeoutSeconds) => onChange({ timeoutSeconds })}
        error={errors['timeoutSeconds']}
      />
      {draft.mode === 'through' ? (
        <Switch
          label="Answer with headers and body, too"
          hint="Else the gateway gets the target’s status alone."
          checked={draft.fullAnswer}
          onChange={(fullAnswer) => onChange({ fullAnswer })}
        />
      ) : (
        <>
          <Switch
            label="Give up after a while"
            hint="Else a delivery waits for as long as its target is away."
            checked={draft.giveUpHours !== null}
            onChange={(on) => onChange({ giveUpHours: on ? '24' : null })}
          />
          {draft.giveUpHours !== null && (
            <TextField
              label="Give up after"
              inputMode="numeric"
              suffix="hours"
              value={draft.giveUpHours}
              onChange={(giveUpHours) => onChange({ giveUpHours })}
              error={errors['giveUpHours']}
            />
          )}
        </>
      )}
    </>
  )
}
