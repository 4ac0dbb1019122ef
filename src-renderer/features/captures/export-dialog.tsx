import { useState } from 'react'
import { create } from 'zustand'
import type {
  CaptureExport,
  CaptureExportFormat,
} from '../../../src-preload/contract/capture-files.ts'
import { request } from '../../app/bridge.ts'
import type { DialogProps } from '../../app/features.tsx'
import { ExportForm, Exports, useStart } from '../../components/files/export-form.tsx'
import { Choices } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, Field } from '../../ui/form.tsx'
import { Hint, Note, Stack } from '../../ui/layout.tsx'

/** The last choice is kept while the app runs. Secrets are never included by default. */
const useExportForm = create<{
  readonly format: CaptureExportFormat
  readonly pseudonyms: boolean
}>(() => ({ format: 'har', pseudonyms: false }))

/** The exports of captures since the app was started. */
const captureExports = new Exports<CaptureExport>({
  kind: 'captureExport',
  things: 'captures',
  nameOf: ({ format }) => `Captures, ${format.toUpperCase()}`,
  unit: 'capture',
  countOf: ({ captures, total }) => ({ done: captures, total }),
})

const formats: readonly {
  readonly value: CaptureExportFormat
  readonly label: string
  readonly text: string
}[] = [
  {
    value: 'har',
    label: 'HAR',
    text: 'HAR 1.2, for browser developer tools and other HTTP inspectors. You can import the file into Tondesk without any loss.',
  },
  {
    value: 'jsonl',
    label: 'JSON Lines',
    text: 'One line per capture with all its fields, for other programs. You can import the file into Tondesk without any loss.',
  },
  {
    value: 'html',
    label: 'HTML page',
    text: 'A single page without scripts, for any browser. It contains at most 5 000 captures.',
  },
]

/** The dialog of an export. Exports continue when the dialog is closed. */
export function ExportDialog({ input: offered, onClose }: DialogProps<'exportCaptures'>) {
  const { format, pseudonyms } = useExportForm()
  const [label, choose] = useState(offered[0]?.label ?? '')
  const [reveal, setReveal] = useState(false)
  const chosen = offered.find((each) => each.label === label) ?? offered[0]
  const form = useStart(captureExports, () =>
    request('captureExport.start', {
      format,
      subject: chosen?.subject ?? { kind: 'query', text: '' },
      reveal: reveal && !pseudonyms,
      pseudonyms,
    }),
  )
  return (
    <Dialog open onClose={onClose} wide title="Export captures">
      <ExportForm
        exports={captureExports}
        form={form}
        label="Export captures"
        action="Export"
        isReady={chosen !== undefined}
        onClose={onClose}
      >
        <Field label="Captures">
          <Choices
            label="Captures"
            value={chosen?.label ?? ''}
            onChange={choose}
            options={offered.map((each) => ({ value: each.label, label: each.label }))}
          />
        </Field>
        <Field label="Format" hint={formats.find(({ value }) => value === format)?.text}>
          <Choices
            label="Format"
            value={format}
            onChange={(next) => useExportForm.setState({ format: next })}
            options={formats.map(({ value, label: name }) => ({ value, label: name }))}
          />
        </Field>
        <Field label="Secrets">
          <Stack gap="s">
            <Checkbox
              label="Replace addresses, hashes, tokens and amounts with pseudonyms"
              checked={pseudonyms}
              onChange={(next) => useExportForm.setState({ pseudonyms: next })}
            />
            {!pseudonyms && (
              <Checkbox
                label="Include secrets in this file"
                checked={reveal}
                onChange={setReveal}
              />
            )}
            <Secrets reveal={reveal} pseudonyms={pseudonyms} />
          </Stack>
        </Field>
      </ExportForm>
    </Dialog>
  )
}

function Secrets({ reveal, pseudonyms }: { reveal: boolean; pseudonyms: boolean }) {
  if (reveal && !pseudonyms) {
    return (
      <Note tone="warn">
        <span role="status">
          Anyone who has a file with these secrets can pose as your gateway and send deliveries to
          this receiver.
        </span>
      </Note>
    )
  }
  return (
    <Hint>
      {pseudonyms
        ? 'Equal values get equal pseudonyms within one file. Comments, descriptions, your notes and bodies other than JSON are left out. Times and the order of logical times remain, so others may still recognize a transaction.'
        : 'Tokens, cookies and the address of the receiver are masked. Bodies are exported as received.'}
    </Hint>
  )
}
