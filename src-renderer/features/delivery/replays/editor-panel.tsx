import { useEffect, useState } from 'react'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { EditDifference } from './edit-difference.tsx'
import { EditFields } from './edit-fields.tsx'
import type { DraftErrors } from '../../../app/use-draft.ts'
import { type Editing, beginEdit, reveal } from './request-edit.ts'
import styles from './replay-form.module.css'

/** The request as it is to be sent, and what differs from how it came. */
export function EditorPanel({
  id,
  editing,
  errors,
  onChange,
}: {
  id: number
  editing: Editing | null
  errors: DraftErrors
  onChange: (editing: Editing) => void
}) {
  const { state, resource } = useAnswer('replay.draft', { id })
  const [tab, setTab] = useState<'edit' | 'difference'>('edit')
  const draft = state.status === 'ready' ? state.value : null
  useEffect(() => {
    if (draft !== null && editing === null) {
      onChange({ edit: beginEdit(draft), draft, isRevealed: false })
    }
  }, [draft, editing, onChange])
  if (state.status === 'failed') {
    return (
      <FailedState
        what={`Capture ${String(id)} cannot be edited`}
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  if (editing === null) return <Skeleton rows={5} label="Loading the request" />
  const show = async () => {
    await attempt('Could not reveal', async () => {
      const whole = await request('replay.draft', { id, reveal: true })
      onChange({ edit: reveal(editing.edit, editing.draft, whole), draft: whole, isRevealed: true })
    })
  }
  return (
    <div className={styles['editor']}>
      {editing.draft.masked && !editing.isRevealed && (
        <p className={styles['hint']}>
          Secrets are masked here, and go out as they came unless you change them.{' '}
          <Button kind="link" onClick={() => void show()}>
            Reveal
          </Button>
        </p>
      )}
      <Tabs<'edit' | 'difference'>
        label="Edited request"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'edit',
            label: 'Edit',
            panel: (
              <EditFields
                edit={editing.edit}
                textProblem={editing.draft.textProblem}
                errors={errors}
                onChange={(edit) => onChange({ ...editing, edit })}
              />
            ),
          },
          {
            value: 'difference',
            label: 'Difference',
            panel: <EditDifference id={id} edit={editing.edit} />,
          },
        ]}
      />
    </div>
  )
}
