import { useDeferredValue, useState } from 'react'
import type { LogEntry } from '../../../src-preload/contract/log.ts'
import { attempt, reload, request, useData, useDataOf } from '../../app/bridge.ts'
import { SettingsSection } from '../../components/settings.tsx'
import { Button } from '../../ui/button.tsx'
import { SearchInput, Select } from '../../ui/form.tsx'
import { formatCount, formatUtc, fromMs } from '../../ui/format.ts'
import { Hint, Row, Stack, Tag, Text } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { type TableColumn, Table, column } from '../../ui/table.tsx'
import { CopyButton } from '../../ui/toast.tsx'

const levels = [
  { value: 'debug', label: 'All levels' },
  { value: 'info', label: 'Info and above' },
  { value: 'warn', label: 'Warnings and errors' },
  { value: 'error', label: 'Errors' },
] as const
type ShownLevel = (typeof levels)[number]['value']

const tones = { fatal: 'bad', error: 'bad', warn: 'warn', info: 'plain', debug: 'plain' } as const

export function LogsSection() {
  const [level, setLevel] = useState<ShownLevel>('debug')
  const [text, setText] = useState('')
  const query = useDataOf('log.list', { level, text: useDeferredValue(text) })
  return (
    <SettingsSection
      id="logs"
      detail="Tondesk writes what it does and what fails to files on this computer, without keys, tokens and bodies, and deletes them after 14 days. Nothing is sent anywhere."
    >
      <CrashReport />
      <Row wrap>
        <Select label="Level" value={level} options={levels} onChange={setLevel} />
        <SearchInput
          boxed
          label="Search the log"
          placeholder="Search the log"
          maxLength={200}
          value={text}
          onType={setText}
          onClear={() => setText('')}
        />
        <Button icon="refresh" onClick={() => reload('log.list')}>
          Refresh
        </Button>
      </Row>
      <Loaded query={query} of="the log" rows={6}>
        {({ entries, folder, canOpenFolder }) => (
          <>
            {entries.length === 0 ? (
              <Hint>No entries match.</Hint>
            ) : (
              <Table
                label="Log entries"
                boxed
                rows={entries.map((entry, index) => ({ ...entry, index }))}
                keyOf={({ index }) => entries.length - index}
                columns={columns}
                more={({ details }) =>
                  details !== null && (
                    <Text as="div" size="s" tone="dim" mono over="lines">
                      {details}
                    </Text>
                  )
                }
              />
            )}
            <Row wrap>
              {entries.length > 0 && (
                <CopyButton
                  text={formatEntries(entries)}
                  what="Log entries"
                  label={`Copy ${formatCount(entries.length, 'entry', 'entries')}`}
                />
              )}
              {canOpenFolder ? (
                <Button
                  onClick={() =>
                    void attempt('Could not open the folder', () => request('log.openFolder'))
                  }
                >
                  Open folder
                </Button>
              ) : (
                <CopyButton text={folder} what="Log folder" label="Copy folder path" />
              )}
            </Row>
          </>
        )}
      </Loaded>
    </SettingsSection>
  )
}

/** Shows the report of the last unexpected end of Tondesk. */
function CrashReport() {
  const crash = useData('log.crash').data?.crash ?? null
  if (crash === null) return null
  const { at, error, report } = crash
  return (
    <Stack line="box" pad="m">
      <Row wrap>
        <Text over="break">
          Tondesk ended unexpectedly <Moment at={fromMs(at)} />.{' '}
          {error !== null && <Text tone="bad">{error}</Text>}
        </Text>
        <Row last>
          <CopyButton text={report} what="Crash report" label="Copy report" />
        </Row>
      </Row>
      <Hint>
        The report has the versions, the error and the end of the log. Keys and tokens are masked.
        Read the report before you share it.
      </Hint>
    </Stack>
  )
}

const columns: TableColumn<LogEntry>[] = [
  column('Time', {}, ({ time }) => <Moment at={fromMs(time)} absolute="second" />),
  column('Level', {}, ({ level }) => <Tag tone={tones[level]}>{level}</Tag>),
  column('Part', { look: 'dim' }, ({ scope }) => scope),
  column('Message', { grow: 1, width: 200, wraps: true }, ({ message }) => message),
]

function formatEntries(entries: readonly LogEntry[]): string {
  return entries
    .map(({ time, level, scope, message, details }) => {
      const more = details === null ? '' : `\n    ${details.replaceAll('\n', '\n    ')}`
      return `${formatUtc(fromMs(time))} ${level.padEnd(5)} ${scope}: ${message}${more}`
    })
    .join('\n')
}
