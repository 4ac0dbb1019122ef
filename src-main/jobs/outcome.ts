/** How a run of a job ended. `stopped`: from outside, to be gone on with. */
export type Outcome = {
  readonly state: 'done' | 'stopped' | 'paused' | 'failed'
  readonly problem: string | null
}

export const stopped: Outcome = { state: 'stopped', problem: null }
