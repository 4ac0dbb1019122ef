/** Named steps to which features add their work, so that no feature imports another for it. */
export function createSteps<Steps extends object>(
  onError: (step: keyof Steps, error: unknown) => void,
) {
  const works = new Map<keyof Steps, ((input: never) => void)[]>()

  /** Adds work to a step. Long work must only be started here: no step waits for another. */
  function on<S extends keyof Steps>(step: S, work: (input: Steps[S]) => void): void {
    works.set(step, [...(works.get(step) ?? []), work])
  }

  function run<S extends keyof Steps>(step: S, input: Steps[S]): void {
    for (const work of works.get(step) ?? []) {
      try {
        work(input as never)
      } catch (error) {
        onError(step, error)
      }
    }
  }

  return { on, run }
}
