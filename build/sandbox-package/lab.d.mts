/** The variables of the handler are documented in docs/lab.md. */
export interface LabOptions {
  /** URL of the handler: it receives the deliveries. */
  readonly target: string
  /** URL, or command, that shows the handler's state as JSON. */
  readonly probe?: string | undefined
  /** Command that starts the handler; some scenarios restart it. */
  readonly start?: string | undefined
  /** File for the variables of the handler, if it is not started by `start`. */
  readonly envFile?: string | undefined
  readonly seed?: string | undefined
  /** Start of the virtual clock, ISO 8601. */
  readonly now?: string | undefined
  readonly allowCommands?: boolean | undefined
  /** Hosts other than this computer that may be attacked. */
  readonly allowTargets?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((line: string) => void) | undefined
  readonly onResult?: ((result: ScenarioResult) => void) | undefined
}

export interface ScenarioResult {
  readonly id: string
  readonly family: string | null
  readonly name: string
  readonly severity: 'critical' | 'high' | 'medium' | 'low'
  readonly outcome: 'passed' | 'found' | 'not tested' | 'failed'
  /** Why the scenario was not tested, or failed; else null. */
  readonly reason: string | null
  readonly why: string
  readonly fix: string
  readonly example: { readonly text: string; readonly url: string } | null
  readonly note: string | null
  readonly findings: readonly {
    readonly sentence: string | null
    readonly subject: string
    readonly wanted: string
    readonly actual: string
  }[]
  readonly checked: readonly {
    readonly subject: string
    readonly wanted: string
    readonly state: string
  }[]
  readonly evidence: readonly {
    readonly kind: 'step' | 'request' | 'transaction' | 'delivery' | 'call' | 'probe' | 'note'
    readonly text: string
    readonly detail: string
  }[]
  readonly durationMs: number
}

export interface LabReport {
  readonly format: 'tondesk-lab-report'
  readonly version: string
  readonly seed: string
  readonly startedAt: string
  readonly durationMs: number
  readonly counts: Readonly<Record<ScenarioResult['outcome'], number>>
  readonly scenarios: readonly ScenarioResult[]
}

/** Runs one scenario: the path of its file, or its text in YAML. */
export declare function runScenario(file: string, options: LabOptions): Promise<ScenarioResult>

/** Runs the scenarios of the lab. `only` names families or scenarios. */
export declare function runLab(
  options: LabOptions & { readonly only?: readonly string[] },
): Promise<LabReport>

/** The handler does not use the lab's sandbox, or the probe is wrong; the message says why. */
export declare class PreflightError extends Error {}
