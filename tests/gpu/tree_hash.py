"""One hash over what the library is built from: kernels/, src/ and include/. Needs no git."""
import hashlib
import pathlib

FOLDERS = ("kernels", "src", "include")
BUILD_SUFFIXES = {".o", ".a", ".so", ".pyc"}


def tree_files(root):
    """The files that count, as sorted paths relative to root."""
    root = pathlib.Path(root)
    files = []
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            relative = path.relative_to(root)
            hidden = any(part.startswith(".") or part == "__pycache__" for part in relative.parts)
            if path.is_file() and not hidden and path.suffix not in BUILD_SUFFIXES:
                files.append(relative.as_posix())
    return sorted(files)


def tree_hash(root):
    """sha256 over every path and the sha256 of its content, in path order."""
    whole = hashlib.sha256()
    for name in tree_files(root):
        content = hashlib.sha256((pathlib.Path(root) / name).read_bytes()).hexdigest()
        whole.update(f"{content}  {name}\n".encode())
    return "sha256:" + whole.hexdigest()


def repository_root():
    return pathlib.Path(__file__).resolve().parents[2]


if __name__ == "__main__":
    print(tree_hash(repository_root()))
