/** A form in a dialog. Its save refuses fields as the main process refuses input that breaks the contract. */
import { useEffect, useState } from 'react'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { useForm } from '../../../src-renderer/app/use-form.ts'
import { Button } from '../../../src-renderer/ui/button.tsx'
import { DaySpanForm, FormChip } from '../../../src-renderer/ui/form-chip.tsx'
import { FormDialog, TextField } from '../../../src-renderer/ui/form.tsx'
import { Row } from '../../../src-renderer/ui/layout.tsx'
import { Controls, report } from './parts.tsx'

let answer: (() => void) | undefined

async function save({ name, port }: { name: string; port: string }): Promise<void> {
  report(`saves ${name}`)
  await new Promise<void>((resolve) => (answer = resolve))
  const wrong = [
    ...(name === '' ? [{ path: 'name', message: 'Enter a name.' }] : []),
    ...(Number(port) > 65_535 ? [{ path: 'port', message: 'At most 65535.' }] : []),
    ...(name === 'elsewhere' ? [{ path: 'network', message: 'The network is read-only.' }] : []),
  ]
  if (wrong.length > 0) {
    throw new AppError('INVALID_INPUT', 'The input is invalid.', { data: wrong })
  }
}

let suggest: ((url: string) => void) | undefined

function TargetDialog({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('')
  useEffect(() => {
    suggest = setUrl
  }, [])
  const form = useForm({ url, name: '', port: '8080' }, async (values) => {
    await save(values)
    onClose()
  })
  return (
    <FormDialog title="Add a target" action="Add target" form={form} onClose={onClose}>
      <TextField label="URL" {...form.field('url')} />
      <TextField label="Name" {...form.field('name')} />
      <TextField label="Port" {...form.field('port')} />
    </FormDialog>
  )
}

export function FormScene() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Row>
        <Button onClick={() => setOpen(true)}>New target</Button>
        <FormChip label="Period" isOn={false} title="Period">
          {(close) => (
            <DaySpanForm
              from={null}
              to={null}
              required
              onDone={({ from, to }) => {
                report(`period of ${Math.round(((to ?? 0) - (from ?? 0)) / 86_400_000)} days`)
                close()
              }}
            />
          )}
        </FormChip>
      </Row>
      {isOpen && <TargetDialog onClose={() => setOpen(false)} />}
      <Controls
        actions={{ Answer: () => answer?.(), Suggest: () => suggest?.('https://example.com/hook') }}
      />
    </>
  )
}
