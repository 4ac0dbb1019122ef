/** The report that a test reads and the buttons that it presses, beside the component under test. */
import { create } from 'zustand'

const useReport = create<{ lines: readonly string[] }>(() => ({ lines: [] }))

/** Adds a line to the report. */
export function report(line: string): void {
  useReport.setState(({ lines }) => ({ lines: [...lines, line] }))
}

/**
 * Buttons that change the component's data, and the report. They are below the component, so that
 * they do not move it.
 */
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
