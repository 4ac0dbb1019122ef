import type { ReactNode } from 'react'
import styles from './news-bar.module.css'

/** Stands above a list while what is new is held back, so that nothing moves under the reader. */
export function NewsBar({ onShow, children }: { onShow: () => void; children: ReactNode }) {
  return (
    <button type="button" className={styles['bar']} title="Show them ( . )" onClick={onShow}>
      {children}
    </button>
  )
}
