import type { RefObject } from 'react'
import { request } from '../../../app/bridge.ts'
import { navigate } from '../../../app/route.ts'
import { FormFoot } from '../../../ui/form-foot.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import layout from '../../../ui/form.module.css'
import { type DraftErrors, useDraft } from '../../../app/use-draft.ts'
import { FilterField } from '../../../components/query/filter-field.tsx'
import { confirmTarget } from '../targets/confirm-target.ts'
import { PathSwitches } from '../targets/path-switches.tsx'
import { rememberTarget } from '../targets/recent-targets.ts'
import { checkTarget } from '../targets/use-target-check.ts'
import { ModeChoice } from './mode-choice.tsx'
import { type RuleDraft, readDraft } from './rule-draft.ts'
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
  const form = useDraft(given)
  const { draft, change, errors, busy } = form

  const save = async () => {
    const read = readDraft(draft)
    if (read.input === null) return { errors: read.errors, problem: null }
    const refused = await agreeOn(read.input.targets)
    if (refused !== null) return { errors: refused, problem: null }
    const rule = await request('forwardRule.save', read.input)
    for (const url of read.input.targets) rememberTarget(url)
    await forwardRules.reload()
    announce(`“${titleOf(rule)}” is saved`)
    onClose()
    navigate(ruleRoute(rule.id))
    return null
  }

  return (
    <form
      className={layout['form']}
      aria-label="Forwarding rule"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void form.submit(save)
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
      <details className={layout['more']} open={hasMore(given)}>
        <summary>Path, host, time limits</summary>
        <div className={layout['options']}>
          <More draft={draft} errors={errors} onChange={change} />
        </div>
      </details>
      <FormFoot
        problem={form.problem}
        busy={busy}
        action={busy ? 'Saving…' : draft.id === null ? 'Forward' : 'Save'}
        onCancel={onClose}
      />
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
      <PathSwitches
        given={draft}
        ofHost="The target sees the Host that the gateway asked for, instead of its own."
        onChange={onChange}
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
