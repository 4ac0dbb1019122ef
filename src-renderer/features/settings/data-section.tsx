import { useState } from 'react'
import type { BackupFile, IntegrityReport } from '../../../src-preload/contract/app.ts'
import { attempt, confirmAndRun, request, reload, useData } from '../../app/bridge.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { CopyButton, announce, showToast } from '../../ui/toast.tsx'
import { formatBytes, formatCount, formatDay, formatMinute, fromMs } from '../../ui/format.ts'
import { Hint, Row, Stack, Text, Small } from '../../ui/layout.tsx'
import { Moment, useNow } from '../../ui/time.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Table, column } from '../../ui/table.tsx'
import { RestoreFile, restartAfterRestore, restoreDetail } from './restore-file.tsx'
import { SettingsSection } from '../../components/settings.tsx'

export function DataSection() {
  return (
    <SettingsSection
      id="data"
      detail="Tondesk stores all its data in one directory on this computer. Backups contain everything except keys and tokens."
    >
      <Loaded query={useData('app.info')} of="the data directory" rows={1}>
        {({ dataDirectory }) => (
          <Row wrap>
            <Text mono over="break">
              {dataDirectory}
            </Text>
            <CopyButton text={dataDirectory} what="Data directory" />
          </Row>
        )}
      </Loaded>
      <IntegrityCheck />
      <Backups />
    </SettingsSection>
  )
}

function IntegrityCheck() {
  const [report, setReport] = useState<IntegrityReport>()

  const run = async () => {
    setReport(undefined)
    const next = await attempt('Could not check the database', () => request('app.checkIntegrity'))
    setReport(next)
    if (next !== undefined)
      announce(next.ok ? 'The database is intact' : 'The database has problems')
  }

  return (
    <Stack line="box" pad="m">
      <Row wrap>
        <ActionButton action={run}>Check integrity</ActionButton>
        <Small tone={report && (report.ok ? 'ok' : 'bad')}>
          {report === undefined
            ? 'Reads the whole database and reports damage.'
            : describeReport(report)}
        </Small>
      </Row>
      {report !== undefined && report.problems.length > 0 && (
        <Text as="ul" size="s" tone="bad">
          {report.problems.map((each, index) => (
            <li key={index}>{each}</li>
          ))}
        </Text>
      )}
    </Stack>
  )
}

function describeReport({ ok, captures, databaseBytes, indexBytes, problems }: IntegrityReport) {
  const size = `${formatCount(captures, 'capture')}, ${formatBytes(databaseBytes)} and ${formatBytes(indexBytes)} of search index`
  return ok
    ? `The database is intact: ${size}.`
    : `The database has ${formatCount(problems.length, 'problem')}: ${size}. Create a backup now. At the next start, Tondesk rescues what can be read.`
}

const reasons: Readonly<Record<BackupFile['reason'], string>> = {
  manual: 'created or opened by you',
  migration: 'before an update',
  restore: 'before a restore',
}

function Backups() {
  const now = useNow()
  const nameOf = ({ createdAt }: BackupFile) => {
    const made = fromMs(createdAt)
    return `the backup of ${formatDay(made, now)} ${formatMinute(made)}`
  }

  const create = async () => {
    const made = await attempt('Could not create a backup', () => request('backup.create'))
    if (made === undefined) return
    reload('backup.list')
    showToast({ title: 'Backup created', detail: made.name })
  }

  return (
    <>
      <Row>
        <ActionButton icon="download" action={create}>
          Create backup
        </ActionButton>
      </Row>
      <RestoreFile />
      <Loaded query={useData('backup.list')} of="the backups" rows={2}>
        {(files) =>
          files.length === 0 ? (
            <Hint>No backups yet.</Hint>
          ) : (
            <Table<BackupFile>
              label="Backups"
              rows={files}
              keyOf={({ name }) => name}
              columns={[
                column('Created', { title: ({ path }) => path }, ({ createdAt }) => (
                  <Moment at={fromMs(createdAt)} />
                )),
                column('Reason', { look: 'dim' }, ({ reason }) => reasons[reason]),
                column('Size', { look: 'number' }, ({ bytes }) => formatBytes(bytes)),
                column('Actions', { hideName: true }, (file) => (
                  <Row gap="xs" justify="end">
                    <CopyButton
                      text={file.path}
                      what={`Path of ${nameOf(file)}`}
                      label="Copy path"
                      kind="quiet"
                    />
                    <Button
                      kind="quiet"
                      aria-label={`Restore ${nameOf(file)}…`}
                      onClick={() => void restore(file, nameOf(file))}
                    >
                      Restore…
                    </Button>
                  </Row>
                )),
              ]}
            />
          )
        }
      </Loaded>
    </>
  )
}

async function restore({ name }: BackupFile, title: string): Promise<void> {
  const result = await confirmAndRun({
    title: `Restore ${title}?`,
    detail: restoreDetail,
    action: 'Restore and restart',
    failure: 'Could not restore the backup',
    run: () => request('backup.restore', { name }),
  })
  if (result !== undefined) await restartAfterRestore(result.restartNeeded)
}
