import { useAnswer } from '../../../app/use-answer.ts'
import { useSettled } from '../../../ui/use-settled.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { DiffTable } from '../compare/diff-table.tsx'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { type RequestEdit, readEdit } from './request-edit.ts'
import styles from './replay-form.module.css'

/** As it came on the left, as it would go on the right. */
export function EditDifference({ id, edit }: { id: number; edit: RequestEdit }) {
  const settled = useSettled(edit)
  const read = readEdit(settled)
  if (read.edit === null) {
    return <p className={styles['hint']}>Something is still to be mended: see the marked fields.</p>
  }
  return <Difference id={id} edit={read.edit} />
}

function Difference({ id, edit }: { id: number; edit: Input<'replay.diff'>['edit'] }) {
  const { state, resource } = useAnswer('replay.diff', { id, edit })
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The difference could not be told"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={4} label="Comparing" />
  const { head, body, isSame } = state.value
  return (
    <div className={styles['difference']}>
      {isSame && (
        <p>
          <Tag tone="ok">the same</Tag> Nothing is edited yet.
        </p>
      )}
      <h3 className={styles['label']}>Head</h3>
      <DiffTable label="Difference of the head" lines={head} none="It has no headers." />
      <h3 className={styles['label']}>Body</h3>
      <DiffTable label="Difference of the body" lines={body} none="The body is empty." />
    </div>
  )
}
