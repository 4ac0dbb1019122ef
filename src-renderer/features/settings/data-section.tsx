import { useState } from 'react'
import type { IntegrityReport } from '../../../src-preload/contract/app.ts'
import { request, toAppError } from '../../app/bridge.ts'
import { formatBytes, formatCount } from '../../ui/format.ts'
import { useResource } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { announce } from '../../ui/live-region.tsx'
import { appInfo } from '../../app/app-info.ts'
import { Backups } from './backups.tsx'
import { Section } from './section.tsx'
import styles from './section.module.css'

export function DataSection() {
  const info = useResource(appInfo)
  return (
    <Section
      id="data"
      detail="Everything Tondesk keeps is in one directory on this computer. Backups hold all of it but keys and tokens."
    >
      {info.status === 'failed' && (
        <p className={styles['error']} role="alert">
          The directory is not known: {info.error.message}{' '}
          <Button kind="link" onClick={() => void appInfo.reload()}>
            Try again
          </Button>
        </p>
      )}
      {info.status === 'ready' && (
        <div className={styles['line']}>
          <span className={styles['path']}>{info.value.dataDirectory}</span>
          <CopyButton text={info.value.dataDirectory} what="Data directory" />
        </div>
      )}
      <Integrity />
      <Backups />
    </Section>
  )
}

type Check =
  | { status: 'idle' }
  | { status: 'running' }
  | { status: 'done'; report: IntegrityReport }
  | { status: 'failed'; message: string }

function Integrity() {
  const [check, setCheck] = useState<Check>({ status: 'idle' })

  const run = async () => {
    setCheck({ status: 'running' })
    try {
      const report = await request('app.checkIntegrity')
      setCheck({ status: 'done', report })
      announce(report.ok ? 'The database is sound' : 'The database has problems')
    } catch (error) {
      setCheck({ status: 'failed', message: toAppError(error).message })
    }
  }

  return (
    <div className={styles['box']}>
      <div className={styles['line']}>
        <Button busy={check.status === 'running'} onClick={() => void run()}>
          {check.status === 'running' ? 'Checking…' : 'Check integrity'}
        </Button>
        {check.status === 'idle' && 'Reads the whole database and says whether it is sound.'}
        {check.status === 'failed' && (
          <span className={styles['error']} role="alert">
            Could not check: {check.message}
          </span>
        )}
        {check.status === 'done' && <Outcome report={check.report} />}
      </div>
      {check.status === 'done' && check.report.problems.length > 0 && (
        <ul className={styles['error']}>
          {check.report.problems.map((problem, index) => (
            <li key={index}>{problem}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Outcome({ report }: { report: IntegrityReport }) {
  const size = `${formatCount(report.captures, 'capture')}, ${formatBytes(report.databaseBytes)} and ${formatBytes(report.indexBytes)} of search index`
  return report.ok ? (
    <span className={styles['good']}>The database is sound: {size}.</span>
  ) : (
    <span className={styles['error']}>
      The database has {formatCount(report.problems.length, 'problem')}: {size}. Create a backup
      now; at the next start Tondesk rescues what can be read.
    </span>
  )
}
