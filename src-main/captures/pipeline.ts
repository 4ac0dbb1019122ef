import { createSteps } from '../jobs/steps.ts'

/**
 * The steps of a capture after its commit, in order. Before the commit the receiver is responsible
 * for the capture, and the gateway waits for its response.
 */
type CaptureSteps = {
  /** The captures are on disk, and the gateway gets its response. */
  committed: { readonly count: number; readonly bytes: number }
  index: { readonly count: number; readonly bytes: number }
  notify: { readonly count: number; readonly bytes: number }

  /** Captures up to this id are now classified, and their transactions are requested. */
  explain: { readonly upTo: number }
  matchInvoices: { readonly upTo: number }
  forward: { readonly upTo: number }
  notifyIndexed: { readonly upTo: number }

  /** The index has processed deletions up to this number. */
  deletionsIndexed: { readonly upTo: number }
}

/** @param onBug called for a failed step, which does not stop the next steps */
export function createCapturePipeline(onBug: (step: keyof CaptureSteps, error: unknown) => void) {
  const { on, run } = createSteps<CaptureSteps>(onBug)
  return {
    on,
    committed(captures: CaptureSteps['committed']): void {
      run('committed', captures)
      run('index', captures)
      run('notify', captures)
    },
    indexed(captures: CaptureSteps['forward']): void {
      run('explain', captures)
      run('matchInvoices', captures)
      run('forward', captures)
      run('notifyIndexed', captures)
    },
    deletionsIndexed: (deletions: CaptureSteps['deletionsIndexed']) =>
      run('deletionsIndexed', deletions),
  }
}
