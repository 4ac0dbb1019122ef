import { Fragment } from 'react'
import type { RootTraffic } from '../../../../src-preload/contract/traffic.ts'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { classes } from '../../../ui/classes.ts'
import table from '../../../ui/table.module.css'
import text from '../../../ui/text.module.css'
import styles from './diagnostics.module.css'
import { Pause } from './pause.tsx'
import { type NetworkName, milliseconds, paceWords, rootWords } from './words.ts'

export function RootsTable({ roots, name }: { roots: readonly RootTraffic[]; name: NetworkName }) {
  return (
    <div className={styles['box']} tabIndex={0} role="region" aria-label="Traffic by root">
      <table className={classes(table['table'], styles['roots'])}>
        <thead>
          <tr>
            <th scope="col">Root</th>
            <th scope="col" className={table['number']}>
              Requests
            </th>
            <th scope="col" className={table['number']}>
              Errors
            </th>
            <th scope="col" className={table['number']}>
              Waiting
            </th>
            <th scope="col" className={table['number']}>
              Under way
            </th>
            <th scope="col" className={table['number']}>
              p50
            </th>
            <th scope="col" className={table['number']}>
              p95
            </th>
            <th scope="col">Pace</th>
          </tr>
        </thead>
        <tbody>
          {roots.map((root) => (
            <Fragment key={`${root.network}/${root.root}`}>
              <Root root={root} name={name} />
              {root.lastError !== null && <LastError error={root.lastError} />}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Root({ root, name }: { root: RootTraffic; name: NetworkName }) {
  const { waiting, latency, limit, lastError } = root
  const pace = paceWords(limit)
  return (
    <tr className={classes(lastError !== null && styles['joined'])}>
      <th scope="row" className={styles['root']} title={root.origin}>
        {name(root.network)} · {rootWords[root.root]}
      </th>
      <td className={table['number']}>{formatNumber(root.requests)}</td>
      <td className={table['number']}>{formatNumber(root.errors)}</td>
      <td
        className={table['number']}
        title={`${formatNumber(waiting.interactive)} of the window, ${formatNumber(waiting.job)} of jobs`}
      >
        {formatNumber(waiting.interactive + waiting.job)}
      </td>
      <td className={table['number']}>{formatNumber(root.underWay)}</td>
      <td className={table['number']}>{latency === null ? '–' : milliseconds(latency.p50)}</td>
      <td
        className={table['number']}
        title={latency === null ? undefined : `Longest: ${milliseconds(latency.max)}`}
      >
        {latency === null ? '–' : milliseconds(latency.p95)}
      </td>
      <td title={pace.long}>
        {pace.short} {limit.pausedUntil !== null && <Pause until={limit.pausedUntil} />}
      </td>
    </tr>
  )
}

function LastError({ error }: { error: NonNullable<RootTraffic['lastError']> }) {
  return (
    <tr>
      <td colSpan={8} className={styles['lastError']}>
        <Moment at={fromMs(error.at)} className={text['dim']} /> {error.message}
      </td>
    </tr>
  )
}
