/** The section with versions, updates, release notes and the licenses of third-party code. */
import { type ReactNode, useState } from 'react'
import type { Settings } from '../../../src-preload/contract/settings.ts'
import type { UpdateState } from '../../../src-preload/contract/update.ts'
import type { Licences, LicensedPackage } from '../../../src-preload/domain/licences.ts'
import { attempt, request, useData, useDataBy } from '../../app/bridge.ts'
import { SavedSwitch, SettingsSection, saverOf } from '../../components/settings.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatCount, fromMs } from '../../ui/format.ts'
import { Fold, Hint, Problem, Row, Stack, Text } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { Loaded, Progress } from '../../ui/loaded.tsx'

const hosts = { electron: 'desktop app', browser: 'browser mode', cli: 'command line' } as const
const save = saverOf('updates')

export function AboutSection({ settings }: { settings: Settings }) {
  return (
    <SettingsSection id="about">
      <Loaded query={useData('app.info')} of="the versions" rows={3}>
        {({ version, host, platform, node, electron, sqlite, processId }) => (
          <KeyValues
            pairs={[
              ['Tondesk', `${version}, ${hosts[host]}`],
              ['System', platform],
              ['Node.js', node],
              ['Electron', electron ?? null],
              ['SQLite', sqlite],
              ['Process ID', String(processId)],
            ]}
          />
        )}
      </Loaded>
      <Row>
        <DialogButton label="Release notes" title="Release notes">
          <ReleaseNotes />
        </DialogButton>
        <DialogButton label="Licences" title="Third-party software">
          <LicenceList />
        </DialogButton>
      </Row>
      <Loaded query={useData('update.state')} of="the update state" rows={1}>
        {(state) => <Updates state={state} automatic={settings.updates.automatic} />}
      </Loaded>
    </SettingsSection>
  )
}

function DialogButton({
  label,
  title,
  children,
}: {
  label: string
  title: string
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{label}</Button>
      <Dialog
        open={isOpen}
        onClose={close}
        title={title}
        wide
        buttons={<Button onClick={close}>Close</Button>}
      >
        {children}
      </Dialog>
    </>
  )
}

function Updates({ state, automatic }: { state: UpdateState; automatic: boolean }) {
  const { status, version, notes, percent, problem, checkedAt } = state
  if (status === 'off') {
    return <Hint>This installation has no automatic updates. Install a newer version over it.</Hint>
  }
  const check = () => attempt('Could not check for updates', () => request('update.check'))
  const download = () => attempt('Could not download the update', () => request('update.download'))
  return (
    <>
      <SavedSwitch
        label="Check for updates once a day"
        hint="Tondesk downloads a newer version only when you request it."
        value={automatic}
        save={(value) => save('automatic', value)}
      />
      <Stack gap="s">
        <Text role="status">{describe(status, version)}</Text>
        {status === 'downloading' && (
          <Progress label={`Downloading Tondesk ${version}`} done={percent ?? 0} of={100} />
        )}
        <Problem>{problem}</Problem>
        {checkedAt !== null && (
          <Hint>
            Last check: <Moment at={fromMs(checkedAt)} />
          </Hint>
        )}
        {notes !== null && <Notes label={`Release notes of ${version}`} markdown={notes} />}
        <Row>
          {status === 'available' && (
            <ActionButton kind="main" action={download}>
              Download {version}
            </ActionButton>
          )}
          {['idle', 'current', 'available'].includes(status) && (
            <ActionButton action={check}>Check for updates</ActionButton>
          )}
        </Row>
      </Stack>
    </>
  )
}

function describe(status: UpdateState['status'], version: string | null): string {
  switch (status) {
    case 'off':
    case 'idle':
      return 'Tondesk has not checked for updates yet.'
    case 'checking':
      return 'Checking for updates…'
    case 'current':
      return 'This is the newest version.'
    case 'available':
      return `Version ${version} is available.`
    case 'downloading':
      return `Downloading version ${version}…`
    case 'ready':
      return `Version ${version} is downloaded. It is installed when you quit Tondesk.`
  }
}

/** Reads a file that the build wrote beside the page. */
async function readAboutFile(name: string): Promise<string> {
  const response = await fetch(`/about/${name}`, { credentials: 'omit' })
  if (!response.ok) throw new Error(`The app does not contain the file ${name}.`)
  return response.text()
}

function ReleaseNotes() {
  const query = useDataBy('app.info', { file: 'changelog' }, () => readAboutFile('changelog.txt'))
  return (
    <Loaded query={query} of="the release notes">
      {(markdown) => <Notes label="Release notes" markdown={markdown} />}
    </Loaded>
  )
}

function Notes({ label, markdown }: { label: string; markdown: string }) {
  return (
    <Text as="div" over="lines" role="group" aria-label={label}>
      {formatReleaseNotes(markdown)}
    </Text>
  )
}

function LicenceList() {
  const query = useDataBy(
    'app.info',
    { file: 'licences' },
    async () => JSON.parse(await readAboutFile('licences.json')) as Licences,
  )
  return (
    <Loaded query={query} of="the licences">
      {({ packages, texts }) => (
        <>
          <Hint>
            Tondesk contains {formatCount(packages.length, 'package')}. The installed app also has
            the licences of Electron and Chromium in its folder.
          </Hint>
          <Stack gap="xs">
            {packages.map((each) => (
              <Fold key={`${each.name} ${each.version}`} lazy summary={<PackageName {...each} />}>
                {each.homepage !== null && <Text mono>{each.homepage}</Text>}
                {each.texts.map((index) => (
                  <CodeBlock key={index} label={`Licence of ${each.name}`} wrap>
                    {texts[index]}
                  </CodeBlock>
                ))}
                {each.texts.length === 0 && (
                  <Hint>The package has no licence text. It names the licence {each.licence}.</Hint>
                )}
              </Fold>
            ))}
          </Stack>
        </>
      )}
    </Loaded>
  )
}

function PackageName({ name, version, licence }: LicensedPackage) {
  return (
    <>
      {name} {version} <Text tone="dim">{licence}</Text>
    </>
  )
}
/**
 * Converts release notes from Markdown to plain text: it joins wrapped lines and keeps only the
 * words of links.
 */
export const formatReleaseNotes = (markdown: string): string =>
  markdown
    .replaceAll('\r\n', '\n')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/(`|\*\*)(\S(?:.*?\S)?)\1/g, '$2')
    .replaceAll(/^#+ +\[?([^\]\n]*)\]?/gm, '$1')
    .replaceAll(/\n(?!\n|- |#)(?<!\n\n) */g, ' ')
    .replaceAll(/^- /gm, '• ')
    .replaceAll(/ +$/gm, '')
    .trim()
