import { formatNumber, shorten } from '../../ui/format.ts'
import { CopyButton } from '../../ui/toast.tsx'
import { classes } from '../../ui/classes.ts'
import text from '../../ui/text.module.css'
import styles from './chain.module.css'

/** A hash, shortened; whole under the pointer and on the clipboard. `href` makes it a link. */
export function HashText({
  hash,
  href,
  whole = false,
  what = 'Hash',
}: {
  hash: string
  href?: string | undefined
  /** Not shortened. */
  whole?: boolean
  /** The thing copied: "Transaction hash". */
  what?: string
}) {
  const shown = whole ? hash : shorten(hash, 8, 8)
  return (
    <span className={styles['account']}>
      {href === undefined ? (
        <span className={text['mono']} title={hash}>
          {shown}
        </span>
      ) : (
        <a className={classes(styles['link'], styles['plain'])} href={href} title={hash}>
          {shown}
        </a>
      )}
      <span className={styles['copy']}>
        <CopyButton text={hash} what={what} iconOnly kind="quiet" />
      </span>
    </span>
  )
}

/** A logical time: its digits grouped, never a float. */
export function LtText({ lt }: { lt: string }) {
  return <span className={text['mono']}>{formatNumber(lt)}</span>
}
