# What each Debian package needs beside what is installed: copyright, changelog, compressed man pages. CPack runs this
# between installing the components and packing them.
foreach(package IN LISTS CPACK_COMPONENTS_ALL)
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${package}/usr)
  set(folder ${root}/share/doc/${package})
  file(MAKE_DIRECTORY ${folder})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/../LICENSE ${folder}/copyright COPYONLY)
  if(package STREQUAL muster-doc)  # one of its pictures has a licence of its own
    file(READ ${CMAKE_CURRENT_LIST_DIR}/../docs/images/LICENSES.md pictures)
    file(APPEND ${folder}/copyright "\n${pictures}")
  endif()
  configure_file(${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md ${folder}/changelog COPYONLY)
  file(GLOB pages ${root}/share/man/man1/*.1)
  execute_process(COMMAND gzip -9nf ${folder}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
