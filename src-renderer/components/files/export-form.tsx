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

/**
 * The exports of one kind: the content of their dialog, the files to save, and reports of the end of
 * exports that this window started.
 */
export class Exports<R extends ExportRun> {
  readonly kind: ExportKind<R>
  /** Exports that this window started, whose end it reports. */
  readonly #mine = new Set<number>()
  /** While the dialog is open, a file is saved as soon as it has been written. */
  #isOpen = false
  readonly useSeen = create<{ saved: ReadonlySet<string>; hidden: ReadonlySet<number> }>(() => ({
    /** Files that were saved, because the main process provides each file only once. */
    saved: new Set(),
    hidden: new Set(),
  }))

  constructor(of: ExportKind<R>) {
    this.kind = of
    watchJobs(of.kind, (now) => {
      for (const run of now as readonly R[]) this.#report(run)
    })
  }

  setOpen(now: boolean): void {
    this.#isOpen = now
  }

  async save(run: R, file: ExportFile): Promise<void> {
    const isSaved = await saveExport(
      run.format.toUpperCase(),
      this.kind.purposeOf?.(run) ?? this.kind.things,
      () => Promise.resolve(file),
    )
    if (isSaved) this.useSeen.setState(({ saved }) => ({ saved: new Set([...saved, file.id]) }))
  }

  #report(run: R): void {
    if (run.state === 'running' || !this.#mine.delete(run.id)) return
    const { things, unit, countOf } = this.kind
    const { id, file, state, problem } = run
    if (state === 'done' && file !== null) {
      announce('Export done')
      if (this.#isOpen && useExport.getState().now === null) {
        void this.save(run, file)
        return
      }
      showToast({
        id: `export-of-${things}-${id}`,
        title: `${file.name} is ready`,
        detail: formatCount(countOf(run).done, unit),
        action: { label: 'Save', run: () => void this.save(run, file) },
      })
    }
    if (state === 'failed' && !this.#isOpen) {
      const detail = problem ?? 'No reason was given.'
      showToast({ title: `Could not export the ${things}`, detail, tone: 'bad' })
    }
  }

  async cancel(id: number): Promise<void> {
    const { kind } = this.kind
    const cancelled = await attempt('Could not cancel the export', () =>
      request('job.cancel', { kind, id }),
    )
    if (cancelled !== undefined) takeOwnJob(kind, cancelled)
  }

  begun(run: R): void {
    const { kind } = this.kind
    this.#mine.add(run.id)
    announce('Exporting')
    // The export may have ended before the response to its start arrived.
    const known = (peek('job.list', jobListInput(kind, run)) as R[] | undefined)?.find(
      ({ id }) => id === run.id,
    )
    if (known === undefined || known.state === 'running') takeOwnJob(kind, run)
    else this.#report(known)
  }
}

/** Starts an export when the form is submitted. */
export function useStart<R extends ExportRun>(of: Exports<R>, start: () => Promise<R>) {
  return useForm({}, async () => of.begun(await start()))
}

/** The content of an export dialog: the form, and all exports since the app's start. */
export function ExportForm<R extends ExportRun>({
  exports: of,
  isReady = true,
  network,
  onClose,
  children,
  ...form
}: {
  exports: Exports<R>
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
  const runs = (useJobs(of.kind.kind, network).data ?? []) as readonly ExportRun[]
  const { hidden } = of.useSeen()
  const shown = (runs as readonly R[]).filter(({ id }) => !hidden.has(id))
  useEffect(() => {
    of.setOpen(true)
    return () => of.setOpen(false)
  }, [of])
  return (
    <Form {...form} disabled={!isReady} beside={<Button onClick={onClose}>Close</Button>}>
      {children}
      {shown.length > 0 && (
        <section aria-label="Exports">
          <ul>
            {shown.map((run) => (
              <Run key={run.id} of={of} run={run} />
            ))}
          </ul>
        </section>
      )}
    </Form>
  )
}

type RunProps<R extends ExportRun> = { of: Exports<R>; run: R }

function Run<R extends ExportRun>({ of, run }: RunProps<R>) {
  const { unit, countOf, nameOf, paceOf } = of.kind
  const { id, state, problem, bytes, file } = run
  const { done, total } = countOf(run)
  const name = file?.name ?? nameOf(run)
  const isRunning = state === 'running'
  const hide = () => of.useSeen.setState(({ hidden }) => ({ hidden: new Set([...hidden, id]) }))
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
            <Button onClick={() => void of.cancel(id)}>Cancel</Button>
          ) : (
            <IconButton icon="close" label={`Remove ${name} from the list`} onClick={hide} />
          )}
        </Row>
      </Row>
      {isRunning && total !== null && (
        <Row>
          <Progress label={`Progress of ${name}`} done={done} of={total} />
          <Small>{paceOf?.(run)}</Small>
        </Row>
      )}
      {state === 'done' && <Files of={of} run={run} />}
      {problem !== null && (
        <Text as="p" size="s" tone="bad" role="status">
          {problem}
        </Text>
      )}
    </Stack>
  )
}

function Files<R extends ExportRun>({ of, run }: RunProps<R>) {
  const isSaving = useExport((state) => state.now !== null)
  const { saved } = of.useSeen()
  const { file } = run
  const others = of.kind.otherFilesOf?.(run).filter((each) => !saved.has(each.file.id))
  return (
    <Row wrap>
      {file === null || saved.has(file.id) ? (
        <Small>saved</Small>
      ) : (
        <Button icon="download" busy={isSaving} onClick={() => void of.save(run, file)}>
          Save the file
        </Button>
      )}
      {file !== null && hasSystemDialogs() && <DragOut file={file} />}
      {others?.map((other) => (
        <Button key={other.label} busy={isSaving} onClick={() => void of.save(run, other.file)}>
          {other.label}
        </Button>
      ))}
      {of.kind.more?.(run)}
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
