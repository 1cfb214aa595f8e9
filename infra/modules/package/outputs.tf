# Only the archive of a release has the zips: dist is not in the repository. So take this module
# from the archive, by its URL and its digest (packaging/README.md).

output "files" {
  description = "The zip of each architecture, for `package_file` of modules/password-hasher."
  value = {
    for architecture in ["arm64", "x86_64"] :
    architecture => "${path.module}/../../../dist/saltern-lambda-${replace(architecture, "_", "-")}.zip"
  }
}
