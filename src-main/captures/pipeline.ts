/**
 * The life of a capture after its commit: each step by its name, in the order in which the steps are
 * run. Until then the receiver is responsible for a capture, and the gateway waits for its response.
 */
type CaptureSteps = {
  /** These captures were received and are on disk, and the gateway gets its response. */
  committed: { readonly count: number; readonly bytes: number }
  /** The index thread classifies what is new and makes it searchable. */
  index: { readonly count: number; readonly bytes: number }
  /** The window shows the new captures. */
  notify: { readonly count: number; readonly bytes: number }

  /** From here on: captures up to this id have been classified. Transactions are fetched for them. */
  explain: { readonly upTo: number }
  /** Deliveries that tell of invoices or of payments are matched. */
  matchInvoices: { readonly upTo: number }
  /** They are sent on by the forwarding rules. */
  forward: { readonly upTo: number }
  /** The window shows what is known of them now. */
  notifyIndexed: { readonly upTo: number }
}

type Step = keyof CaptureSteps

export type CapturePipeline = {
  /** Adds work to a step. It only starts what takes time: no step waits for the one before. */
  on<S extends Step>(step: S, work: (captures: CaptureSteps[S]) => void): void
  committed(captures: CaptureSteps['committed']): void
  indexed(captures: { readonly upTo: number }): void
}

/** @param onBug a step that fails keeps no capture from the next step */
export function createCapturePipeline(
  onBug: (step: Step, error: unknown) => void,
): CapturePipeline {
  const works = new Map<Step, ((captures: never) => void)[]>()

  function run<S extends Step>(step: S, captures: CaptureSteps[S]): void {
    for (const work of works.get(step) ?? []) {
      try {
        work(captures as never)
      } catch (error) {
        onBug(step, error)
      }
    }
  }

  return {
    on(step, work) {
      works.set(step, [...(works.get(step) ?? []), work])
    },
    committed(captures) {
      run('committed', captures)
      run('index', captures)
      run('notify', captures)
    },
    indexed(captures) {
      run('explain', captures)
      run('matchInvoices', captures)
      run('forward', captures)
      run('notifyIndexed', captures)
    },
  }
}
