import type { SentRequest } from '../../../../src-preload/contract/traffic.ts'
import { formatExact, formatSecond, formatUtc, fromMs } from '../../../ui/format.ts'
import { classes } from '../../../ui/classes.ts'
import table from '../../../ui/table.module.css'
import text from '../../../ui/text.module.css'
import styles from './diagnostics.module.css'
import { type NetworkName, milliseconds, rootWords } from './words.ts'

/** Newest first. */
export function RecentRequests({
  recent,
  name,
}: {
  recent: readonly SentRequest[]
  name: NetworkName
}) {
  return (
    <div
      className={classes(styles['box'], styles['long'])}
      tabIndex={0}
      role="region"
      aria-label="Recent requests"
    >
      <table className={classes(table['table'], table['sticky'], styles['recent'])}>
        <thead>
          <tr>
            <th scope="col" className={styles['at']}>
              Sent
            </th>
            <th scope="col" className={styles['to']}>
              To
            </th>
            <th scope="col">Request</th>
            <th scope="col" className={styles['status']}>
              Status
            </th>
            <th scope="col" className={classes(styles['took'], table['number'])}>
              Took
            </th>
          </tr>
        </thead>
        <tbody>
          {recent.map((sent, index) => (
            <Row key={recent.length - index} sent={sent} name={name} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ sent, name }: { sent: SentRequest; name: NetworkName }) {
  const { at, method, path, status, error, tried } = sent
  const moment = fromMs(at)
  const request = `${method} ${path}`
  return (
    <tr>
      <td>
        <time dateTime={formatUtc(moment)} title={formatExact(moment)}>
          {formatSecond(moment)}
        </time>
      </td>
      <td className={text['cut']} title={`${name(sent.network)} · ${rootWords[sent.root]}`}>
        {name(sent.network)} · {rootWords[sent.root]}
      </td>
      <td className={classes(text['cut'], text['mono'])} title={request}>
        {request}
        {tried > 1 && <span className={text['faint']}> try {tried}</span>}
      </td>
      <td className={classes(error !== null && styles['bad'])} title={error ?? undefined}>
        {status ?? (error === 'called off' ? error : 'failed')}
      </td>
      <td className={table['number']}>{milliseconds(sent.milliseconds)}</td>
    </tr>
  )
}
