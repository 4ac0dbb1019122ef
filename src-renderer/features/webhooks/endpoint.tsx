import { classes } from '../../ui/classes.ts'
import text from '../../ui/text.module.css'
import styles from './endpoint.module.css'

/**
 * The end of an endpoint that is always in sight: webhooks of one host differ there. Short enough to
 * leave the host some room in a narrow list.
 */
const tailLength = 5

/** What goes without saying: https, and that this computer is reached without it. */
const plainScheme = /^(https:\/\/|http:\/\/(?=127\.|localhost\b|\[::1\]))/i

/** An endpoint shortened in its middle to the room there is, whole under the pointer. */
export function Endpoint({ url, className }: { url: string; className?: string | undefined }) {
  const scheme = plainScheme.exec(url)?.[0] ?? ''
  const rest = url.slice(scheme.length)
  const at = Math.max(0, rest.length - tailLength)
  return (
    <span className={classes(styles['endpoint'], className)} title={url}>
      {scheme !== '' && <span className={text['hidden']}>{scheme}</span>}
      <span className={styles['head']}>{rest.slice(0, at)}</span>
      <span className={styles['tail']}>{rest.slice(at)}</span>
    </span>
  )
}
