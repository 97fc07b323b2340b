// Arrays of an .npz file as rubiks_gym/files.py writes it: a zip whose members are stored, each a .npy.

/** The members of a file, by name: {json: Uint8Array, weights: Int8Array, ...}. */
export function readNpz(buffer) {
  const view = new DataView(buffer);
  const text = (at, length) => new TextDecoder().decode(new Uint8Array(buffer, at, length));
  let end = buffer.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Error("the tables are damaged: this is no zip file");
  const arrays = {};
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const [method, nameLength] = [view.getUint16(at + 10, true), view.getUint16(at + 28, true)];
    const name = text(at + 46, nameLength).replace(/\.npy$/, "");
    if (method !== 0) throw new Error(`the tables are damaged: ${name} is compressed`);
    const local = view.getUint32(at + 42, true);
    const data = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const isNew = view.getUint8(data + 6) > 1; // version of the format
    const start = data + (isNew ? 12 + view.getUint32(data + 8, true) : 10 + view.getUint16(data + 8, true));
    const length = data + view.getUint32(at + 24, true) - start;
    const Bytes = text(data + 10, start - data - 10).includes("|i1") ? Int8Array : Uint8Array;
    arrays[name] = new Bytes(buffer, start, length);
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return arrays;
}
