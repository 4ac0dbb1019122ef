/** What a test reads and presses beside the part under test. */
import { create } from 'zustand'

const useReport = create<{ lines: readonly string[] }>(() => ({ lines: [] }))

/** Adds a line to what the test reads. */
export function report(line: string): void {
  useReport.setState(({ lines }) => ({ lines: [...lines, line] }))
}

/** Buttons that change the data under the part, and the report. Below it, so that they move nothing. */
export function Controls({ actions = {} }: { actions?: Readonly<Record<string, () => void>> }) {
  const lines = useReport((state) => state.lines)
  return (
    <footer>
      {Object.entries(actions).map(([name, run]) => (
        <button key={name} type="button" tabIndex={-1} onClick={run}>
          {name}
        </button>
      ))}
      <ol data-testid="report">
        {lines.map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ol>
    </footer>
  )
}
