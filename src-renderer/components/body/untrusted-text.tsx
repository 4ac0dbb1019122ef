import { visibleRuns } from './visible-text.ts'
import styles from './body.module.css'

/** Text from outside: text nodes only, with every invisible character made visible. */
export function UntrustedText({ text }: { text: string }) {
  return visibleRuns(text).map((run, index) =>
    run.stands === null ? (
      run.text
    ) : (
      <span key={index} className={styles['unseen']} title={run.stands}>
        {run.text}
      </span>
    ),
  )
}
