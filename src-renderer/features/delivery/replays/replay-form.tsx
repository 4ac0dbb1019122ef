import { type RefObject, useState } from 'react'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import type { ReplaySubject } from '../../../../src-preload/contract/replay.ts'
import { formatCount } from '../../../ui/format.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Choices } from '../../../ui/chip.tsx'
import { FormFoot } from '../../../ui/form-foot.tsx'
import layout from '../../../ui/form.module.css'
import { useDraft } from '../../../app/use-draft.ts'
import { forwardRules } from '../forwarding/rules.ts'
import { useRecentTargets } from '../targets/recent-targets.ts'
import { TargetField } from '../targets/target-field.tsx'
import { useTargetCheck } from '../targets/use-target-check.ts'
import { EditorPanel } from './editor-panel.tsx'
import { OrderFields } from './order-fields.tsx'
import { sayTotal } from './job-words.ts'
import { type Asked, closeReplay, setEdited } from './replay-dialog-state.ts'
import { type ReplayDraft, newDraft, readDraft } from './replay-draft.ts'
import { type Editing, readEdit } from './request-edit.ts'
import { type Since, printLocal, readSince } from './since.ts'
import { SinceField } from './since-field.tsx'
import { startReplay } from './start-replay.ts'
import { type Preview, usePreview } from './use-preview.ts'
import styles from './replay-form.module.css'

/** Where to, as it came or edited, how fast and how often. */
export function ReplayForm({
  asked,
  first,
}: {
  asked: Asked
  first: RefObject<HTMLInputElement | null>
}) {
  const targets = useKnownTargets()
  const form = useDraft<ReplayDraft>({ ...newDraft, target: asked.target ?? targets[0] ?? '' })
  const { draft, change, busy } = form
  const [opened] = useState(() => Date.now())
  const [since, setSince] = useState(() => sinceOf(asked.subject))
  const [editing, setEditing] = useState<Editing | null>(null)

  const only = onlyCapture(asked.subject)
  const isEdited = asked.edited && only !== null
  const subject = subjectOf(asked.subject, since, opened)
  const edited = isEdited && editing !== null ? readEdit(editing.edit) : null
  const edit = edited?.edit ?? null
  const read = subject === null ? null : readDraft(subject, draft, edit)
  const readOrder = read?.order ?? null
  const isReady = readOrder !== null && (!isEdited || edit !== null)
  const preview = usePreview(isReady ? lightOrder(readOrder) : null)
  const check = useTargetCheck(draft.target)

  const start = async () => {
    if (readOrder === null || (isEdited && edit === null)) {
      const wrong = { ...read?.errors, ...edited?.errors }
      const errors = subject === null ? { ...wrong, since: 'A moment that has passed.' } : wrong
      return { errors, problem: null }
    }
    const outcome = await startReplay(readOrder)
    if (outcome === 'started') closeReplay()
    return typeof outcome === 'string' ? null : outcome
  }

  return (
    <form
      className={layout['form']}
      aria-label="Replay"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void form.submit(start)
      }}
    >
      {asked.subject.kind === 'since' && (
        <SinceField since={since} onChange={setSince} error={form.errors['since']} />
      )}
      <TargetField
        ref={first}
        label="Send to"
        value={draft.target}
        onChange={(target) => change({ target })}
        check={check}
        error={form.errors['target']}
        suggestions={targets}
      />
      {only !== null && (
        <Choices<'received' | 'edited'>
          label="What is sent"
          value={isEdited ? 'edited' : 'received'}
          options={[
            { value: 'received', label: 'As received' },
            { value: 'edited', label: 'Edited' },
          ]}
          onChange={(value) => setEdited(value === 'edited')}
        />
      )}
      {only !== null && isEdited && (
        <EditorPanel
          id={only}
          editing={editing}
          errors={{ ...form.errors, ...edited?.errors }}
          onChange={setEditing}
        />
      )}
      <OrderFields draft={draft} errors={form.errors} isAlone={only !== null} onChange={change} />
      <FormFoot
        problem={form.problem}
        busy={busy}
        action={busy ? 'Starting…' : actionOf(preview)}
        onCancel={closeReplay}
      >
        <Said preview={preview} />
      </FormFoot>
    </form>
  )
}

/** From the moment it was asked for at; else from a usual span. */
function sinceOf(subject: ReplaySubject): Since {
  if (subject.kind !== 'since' || subject.at === 0) return { kind: 'minutes', minutes: 15 }
  return { kind: 'typed', text: printLocal(Math.floor(subject.at / 1000)) }
}

type Order = Input<'replay.start'>

function onlyCapture(subject: ReplaySubject): number | null {
  return subject.kind === 'captures' && subject.ids.length === 1 ? (subject.ids[0] ?? null) : null
}

function subjectOf(subject: ReplaySubject, since: Since, now: number): ReplaySubject | null {
  if (subject.kind !== 'since') return subject
  const at = readSince(since, now)
  return at === null ? null : { kind: 'since', at }
}

/** Large bodies are not sent over the bridge only to be counted. */
const mostPreviewed = 1_000_000

function lightOrder(order: Order): Order {
  return (order.edit?.body.length ?? 0) > mostPreviewed ? { ...order, edit: null } : order
}

/** What was sent to lately, then what rules send to. */
function useKnownTargets(): readonly string[] {
  const recent = useRecentTargets((state) => state.urls)
  const rules = valueOf(useResource(forwardRules)) ?? []
  return [...new Set([...recent, ...rules.flatMap(({ targets }) => targets)])].slice(0, 6)
}

function actionOf(preview: Preview): string {
  if (preview.status !== 'ready' || preview.preview.total <= 1) return 'Replay'
  return `Replay ${sayTotal(preview.preview)}`
}

function Said({ preview }: { preview: Preview }) {
  return (
    <div className={styles['said']} aria-live="polite">
      {preview.status === 'counting' && 'Counting…'}
      {preview.status === 'failed' && preview.error.message}
      {preview.status === 'ready' && (
        <>
          {preview.preview.total === 0
            ? 'There is nothing to send.'
            : `${formatCount(preview.preview.total, 'request')} would be sent.`}
          <ul className={styles['warnings']}>
            {preview.preview.warnings.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
