import styles from './kbd.module.css'

/** A key or a chord, as printed on the keyboard: `Ctrl K`, `j`. */
export function Kbd({ children }: { children: string }) {
  return <kbd className={styles['kbd']}>{children}</kbd>
}
