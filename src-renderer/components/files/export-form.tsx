/**
 * Exports that the main process writes: they run independently of the open page, and are saved when
 * they are done.
 */
import { type DragEvent, type ReactNode, useEffect } from 'react'
import { create } from 'zustand'
import type { JobOf } from '../../../src-preload/contract/job.ts'
import type { ExportFile } from '../../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { FilePurpose } from '../../../src-preload/domain/opened-files.ts'
import { attempt, peek, request } from '../../app/bridge.ts'
import { hasSystemDialogs } from '../../app/opened-files.ts'
import { useForm } from '../../app/use-form.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { type FormState, Form } from '../../ui/form.tsx'
import { formatBytes, formatCount, formatNumber } from '../../ui/format.ts'
import { Tag, Text, Row, Stack, Small } from '../../ui/layout.tsx'
import { announce, showToast } from '../../ui/toast.tsx'
import { Progress } from '../../ui/loaded.tsx'
import {
  jobListInput,
  jobStateLabels,
  stateTones,
  takeOwnJob,
  useJobs,
  watchJobs,
} from '../jobs/job-kind.tsx'
import type { ExportName } from './export-button.tsx'
import { saveExport, useExport } from './save-export.tsx'

type ExportRun = JobOf<ExportName>

/** The properties in which the kinds of exports differ. */
type ExportKind<R extends ExportRun> = {
  readonly kind: ExportName
  /** The exported things in the plural, such as “invoices”. */
  readonly things: 'captures' | 'invoices'
  /** The purpose that determines the folder of the files; by default the purpose of the list. */
  readonly purposeOf?: (run: R) => FilePurpose
  /** Returns the name of an export until it has a file. */
  readonly nameOf: (run: R) => string
  /** The name of one exported item, such as “row”. */
  readonly unit: string
  readonly countOf: (run: R) => { readonly done: number; readonly total: number | null }
  /** Returns a text next to the progress. */
  readonly paceOf?: (run: R) => string
  /** Returns the other files of the export, with the texts of their buttons. */
  readonly otherFilesOf?: (run: R) => readonly { label: string; file: ExportFile }[]
  /** Renders content after the files of a finished export. */
  readonly more?: (run: R) => ReactNode
}

/** Saves the files of exports, and reports the end of exports that this window started. */
function createReports<R extends ExportRun>(kind: ExportKind<R>) {
  const { things, unit } = kind
  const useSeen = create<{ saved: ReadonlySet<string>; hidden: ReadonlySet<number> }>(() => ({
    /** Files that were saved, because the main process provides each file only once. */
    saved: new Set(),
    hidden: new Set(),
  }))
  /** Exports that this window started, whose end it reports. */
  const mine = new Set<number>()
  /** While the dialog is open, a file is saved as soon as it has been written. */
  let isOpen = false

  const countOf = (run: R) => formatCount(kind.countOf(run).done, unit)

  async function save(run: R, file: ExportFile): Promise<void> {
    const isSaved = await saveExport(
      run.format.toUpperCase(),
      kind.purposeOf?.(run) ?? things,
      () => Promise.resolve(file),
    )
    if (isSaved) useSeen.setState(({ saved }) => ({ saved: new Set([...saved, file.id]) }))
  }

  function report(run: R): void {
    if (run.state === 'running' || !mine.delete(run.id)) return
    const { id, file, state, problem } = run
    if (state === 'done' && file !== null) {
      announce('Export done')
      if (isOpen && useExport.getState().now === null) {
        void save(run, file)
        return
      }
      showToast({
        id: `export-of-${things}-${id}`,
        title: `${file.name} is ready`,
        detail: countOf(run),
        action: { label: 'Save', run: () => void save(run, file) },
      })
    }
    if (state === 'failed' && !isOpen) {
      const detail = problem ?? 'No reason was given.'
      showToast({ title: `Could not export the ${things}`, detail, tone: 'bad' })
    }
  }

  watchJobs(kind.kind, (now) => {
    for (const run of now as readonly R[]) report(run)
  })

  return {
    useSeen,
    save,
    report,
    started: (run: R) => void mine.add(run.id),
    setOpen: (now: boolean) => void (isOpen = now),
  }
}

export function createExports<R extends ExportRun>(kind: ExportKind<R>) {
  const { useSeen, save, report, started, setOpen } = createReports(kind)

  async function cancel(id: number): Promise<void> {
    const cancelled = await attempt('Could not cancel the export', () =>
      request('job.cancel', { kind: kind.kind, id }),
    )
    if (cancelled !== undefined) takeOwnJob(kind.kind, cancelled)
  }

  /** Starts an export when the form is submitted. */
  function useStart(start: () => Promise<R>): FormState<object> {
    return useForm({}, async () => {
      const run = await start()
      started(run)
      announce('Exporting')
      // The export may have ended before the response to its start arrived.
      const known = (peek('job.list', jobListInput(kind.kind, run)) as R[] | undefined)?.find(
        ({ id }) => id === run.id,
      )
      if (known === undefined || known.state === 'running') takeOwnJob(kind.kind, run)
      else report(known)
    })
  }

  /** The content of an export dialog: the form, and all exports since the app's start. */
  function ExportForm({
    form,
    label,
    action,
    isReady = true,
    network,
    onClose,
    children,
  }: {
    form: FormState<object>
    label: string
    /** The text of the button that starts the export. */
    action: string
    isReady?: boolean
    /** The network whose exports are listed; absent for all. */
    network?: NetworkId
    onClose: () => void
    children: ReactNode
  }) {
    const { data = [] } = useJobs(kind.kind, network)
    const runs: readonly ExportRun[] = data
    useEffect(() => {
      setOpen(true)
      return () => setOpen(false)
    }, [])
    return (
      <Form
        form={form}
        label={label}
        action={action}
        disabled={!isReady}
        beside={<Button onClick={onClose}>Close</Button>}
      >
        {children}
        <Runs runs={runs as readonly R[]} />
      </Form>
    )
  }

  function Runs({ runs }: { runs: readonly R[] }) {
    const { saved, hidden } = useSeen()
    const shown = runs.filter(({ id }) => !hidden.has(id))
    if (shown.length === 0) return null
    return (
      <section aria-label="Exports">
        <ul>
          {shown.map((run) => (
            <Run
              key={run.id}
              run={run}
              kind={kind}
              onCancel={() => void cancel(run.id)}
              onHide={() =>
                useSeen.setState((seen) => ({ hidden: new Set([...seen.hidden, run.id]) }))
              }
            >
              <Files run={run} kind={kind} saved={saved} onSave={(file) => void save(run, file)} />
            </Run>
          ))}
        </ul>
      </section>
    )
  }

  return { useStart, ExportForm }
}

function Run<R extends ExportRun>({
  run,
  kind: { unit, countOf, nameOf, paceOf },
  onCancel,
  onHide,
  children,
}: {
  run: R
  kind: ExportKind<R>
  onCancel: () => void
  onHide: () => void
  /** The files of a finished export. */
  children: ReactNode
}) {
  const { state, problem, bytes, file } = run
  const { done, total } = countOf(run)
  const name = file?.name ?? nameOf(run)
  const isRunning = state === 'running'
  return (
    <Stack as="li" gap="xs" pad="s" line="above" aria-label={name}>
      <Row wrap>
        <Text strong over="cut" title={name}>
          {name}
        </Text>
        <Tag tone={stateTones[state]}>{jobStateLabels[state]}</Tag>
        <Small>
          {isRunning && total !== null && `${formatNumber(done)} of `}
          {formatCount(isRunning && total !== null ? total : done, unit)}, {formatBytes(bytes)}
        </Small>
        <Row last>
          {isRunning ? (
            <Button onClick={onCancel}>Cancel</Button>
          ) : (
            <IconButton icon="close" label={`Remove ${name} from the list`} onClick={onHide} />
          )}
        </Row>
      </Row>
      {isRunning && total !== null && (
        <Row>
          <Progress label={`Progress of ${name}`} done={done} of={total} />
          <Small>{paceOf?.(run)}</Small>
        </Row>
      )}
      {state === 'done' && children}
      {problem !== null && (
        <Text as="p" size="s" tone="bad" role="status">
          {problem}
        </Text>
      )}
    </Stack>
  )
}

function Files<R extends ExportRun>({
  run,
  kind,
  saved,
  onSave,
}: {
  run: R
  kind: ExportKind<R>
  /** Ids of the files that were saved. */
  saved: ReadonlySet<string>
  onSave: (file: ExportFile) => void
}) {
  const isSaving = useExport((state) => state.now !== null)
  const { file } = run
  const others = (kind.otherFilesOf?.(run) ?? []).filter((each) => !saved.has(each.file.id))
  return (
    <Row wrap>
      {file === null || saved.has(file.id) ? (
        <Small>saved</Small>
      ) : (
        <Button icon="download" busy={isSaving} onClick={() => onSave(file)}>
          Save the file
        </Button>
      )}
      {file !== null && hasSystemDialogs() && <DragOut file={file} />}
      {others.map((other) => (
        <Button key={other.label} busy={isSaving} onClick={() => onSave(other.file)}>
          {other.label}
        </Button>
      ))}
      {kind.more?.(run)}
    </Row>
  )
}

/** A file that can be dragged to a folder or to another program. */
function DragOut({ file: { id, name } }: { file: ExportFile }) {
  const drag = (event: DragEvent) => {
    // The system drags the file instead of the text.
    event.preventDefault()
    void attempt('Could not drag the file', () => request('export.drag', { id }))
  }
  return (
    <Text
      size="s"
      tone="dim"
      draggable
      onDragStart={drag}
      style={{ cursor: 'grab' }}
      title={`Drag ${name} to a folder or another program`}
    >
      Drag the file
    </Text>
  )
}
