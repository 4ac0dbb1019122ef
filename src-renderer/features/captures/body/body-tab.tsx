import { useMemo } from 'react'
import { attempt } from '../../../app/attempt.ts'
import { formatBytes } from '../../../ui/format.ts'
import { saveBytes } from '../../../app/save-bytes.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import warning from '../../../ui/warning.module.css'
import { detail, useInspector } from '../inspector.ts'
import type { BodyForm, BodyView, LoadedBody, OpenCapture } from '../inspector-state.ts'
import { bodyFileName, largestTree, readBody } from '../../../components/body/body-text.ts'
import { HexView } from '../../../components/body/hex-view.tsx'
import { TextView } from '../../../components/body/text-view.tsx'
import { TreeView } from '../../../components/body/tree-view.tsx'
import styles from '../../../components/body/body.module.css'

export function BodyTab({ open }: { open: OpenCapture }) {
  const { body } = open
  if (body.status === 'loading') return <Skeleton rows={6} label="Loading the body" />
  if (body.status === 'failed') {
    return (
      <FailedState
        what="The body could not be read"
        why={body.error.message}
        onRetry={() => void detail.open(open.id)}
      />
    )
  }
  if (body.body.totalBytes === 0 && body.body.decodeProblem === null) {
    return (
      <EmptyState
        title="The body is empty"
        detail={open.capture.incident ?? 'The request was sent without content.'}
      />
    )
  }
  return <Body open={open} body={body.body} loadingMore={body.loadingMore} />
}

const views: readonly { value: BodyView; label: string }[] = [
  { value: 'tree', label: 'Tree' },
  { value: 'text', label: 'Text' },
  { value: 'hex', label: 'Hex' },
]
const forms: readonly { value: BodyForm; label: string }[] = [
  { value: 'decoded', label: 'decoded' },
  { value: 'raw', label: 'as received' },
]

function Body({
  open,
  body,
  loadingMore,
}: {
  open: OpenCapture
  body: LoadedBody
  loadingMore: boolean
}) {
  const chosen = useInspector((state) => state.bodyView)
  const content = useMemo(() => readBody(body), [body])
  const view = chosen ?? content.suits
  const { id, capture } = open
  const isWhole = body.bytes.length >= body.totalBytes
  const save = () =>
    attempt('Could not save the body', async () => {
      const parts = isWhole ? [body.bytes] : await detail.fetchWhole(id, body.form)
      saveBytes(parts, bodyFileName(id, capture.contentType, content.suits))
    })
  return (
    <div className={styles['body']}>
      <div className={styles['bar']}>
        <Choice
          label="View"
          value={view}
          options={views}
          onChange={(bodyView) => useInspector.setState({ bodyView })}
        />
        {capture.encoding !== null && (
          <Choice
            label={`Content-Encoding ${capture.encoding}`}
            value={body.form}
            options={forms}
            onChange={(form) => void detail.chooseForm(form)}
          />
        )}
        <Button icon="download" kind="quiet" onClick={() => void save()}>
          Save
        </Button>
      </div>
      <Notes body={body} invalidAt={view === 'hex' ? null : content.invalidAt} />
      {view !== 'hex' && !isWhole && (
        <p className={warning['box']} role="status">
          The first {formatBytes(body.bytes.length)} of {formatBytes(body.totalBytes)} are shown.{' '}
          <Button
            busy={loadingMore}
            onClick={() => void attempt('Could not load more', () => detail.loadMore())}
          >
            Load more
          </Button>
        </p>
      )}
      <View view={view} id={id} body={body} text={content.text} />
    </div>
  )
}

function View({
  view,
  id,
  body,
  text,
}: {
  view: BodyView
  id: number
  body: LoadedBody
  text: string
}) {
  if (view === 'hex') return <HexView key={`${id}-${body.form}`} id={id} body={body} />
  if (view === 'text') return <TextView text={text} />
  if (body.bytes.length > largestTree) {
    return (
      <EmptyState
        title="Too large for a tree"
        detail={`A tree is built of up to ${formatBytes(largestTree)}. Text and Hex show all of it.`}
      />
    )
  }
  return <TreeView text={text} />
}

function Notes({ body, invalidAt }: { body: LoadedBody; invalidAt: number | null }) {
  return (
    <>
      {body.decodeProblem !== null && (
        <p className={warning['box']} role="status">
          {body.decodeProblem}
        </p>
      )}
      {invalidAt !== null && (
        <p className={warning['box']} role="status">
          Not valid UTF-8 from byte {invalidAt} (0x{invalidAt.toString(16)}): what could not be read
          is shown as [U+FFFD]. Hex has the bytes.
        </p>
      )}
    </>
  )
}

function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
}) {
  return (
    <div role="group" aria-label={label} className={styles['choice']}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          className={classes(styles['option'], option.value === value && styles['on'])}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
