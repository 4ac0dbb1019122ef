import styles from './access.module.css'

export function StepProblem({ why }: { why: string | null }) {
  if (why === null) return null
  return (
    <p className={styles['problem']} role="alert">
      {why}
    </p>
  )
}
